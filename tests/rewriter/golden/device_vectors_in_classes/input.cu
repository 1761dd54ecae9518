// Thrust's vectors as members: elements by number, other sizes, exchanges.
// clang-format off
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdio>
#include <utility>
#include <vector>

struct Body {
  float x = 1, v = 2;
  short kind = 3;
};

__global__ void drift(Body *bodies, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bodies[i].x += bodies[i].v * bodies[i].kind;
}

struct Range {
  Body *first;
  int count;
};

__global__ void driftRange(Range range) {
  if (threadIdx.x < range.count)
    range.first[threadIdx.x].x += 1;
}

// Two states, of which one is current.
class Simulation {
public:
  explicit Simulation(int n) : bodies_(n), marks_(n) {}

  void add(const std::vector<Body> &more) {
    const size_t before = bodies_.size();
    bodies_.resize(before + more.size());
    for (size_t i = 0; i < more.size(); ++i)
      bodies_[before + i] = more[i];
    bodies_.push_back(more[0]);
    bodies_.resize(bodies_.size() + 2, more.back());
    marks_.resize(bodies_.size());
  }

  void step() {
    const int n = static_cast<int>(bodies_.size());
    drift<<<(n + 31) / 32, 32>>>(thrust::raw_pointer_cast(&bodies_[0]), n);
    Range range;
    range.first = thrust::raw_pointer_cast(bodies_.data() + n / 2);
    range.count = n - n / 2;
    driftRange<<<1, 64>>>(range);
  }

  void exchange() {
    spare_ = bodies_;
    bodies_.swap(spare_);
    std::swap(bodies_, spare_);
  }

  bool empty() const { return bodies_.empty(); }
  Body at(int i) const { return bodies_[i]; }
  void copyFirst() { bodies_[1] = bodies_[0]; }
  void clear() { bodies_.clear(); }
  const thrust::device_vector<Body> &bodies() const { return bodies_; }

private:
  thrust::device_vector<Body> bodies_, spare_;
  thrust::device_vector<int> marks_;
};

int main() {
  std::vector<Body> more(20);
  for (int i = 0; i < 20; ++i)
    more[i].v = i;
  Simulation simulation(10);
  simulation.step();
  simulation.add(more);
  simulation.step();
  simulation.exchange();
  simulation.copyFirst();
  simulation.step();
  thrust::host_vector<Body> h = simulation.bodies();
  std::vector<Body> v(simulation.bodies().size());
  const Body third = simulation.at(3);
  std::printf("%d %g %g %d\n", int(h.size()), h[12].x, third.x, int(simulation.empty()));
  simulation.clear();
  simulation.add(v);
  h = simulation.bodies();
  std::printf("%d %g\n", int(h.size()), h[2].x);
}
