// Virtual functions that take and return pointers to records, with all that override them.
// clang-format off
#include <cstdio>
#include <memory>
#include <vector>

struct Body { float x, v; int steps; };

__global__ void push(Body *bodies, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bodies[i].x += bodies[i].v * dt;
}

__global__ void damp(Body *bodies, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { bodies[i].v *= 0.5f; bodies[i].steps++; }
}

class Stage {
public:
  virtual ~Stage() = default;
  virtual void run(Body *bodies, int n) = 0;
  virtual const Body *first(const Body *bodies) const { return bodies; }
};

class Push : public Stage {
public:
  explicit Push(float dt) : dt_(dt) {}
  void run(Body *bodies, int n) override { push<<<1, 128>>>(bodies, n, dt_); }
protected:
  float dt_;
};

class PushTwice : public Push {
public:
  PushTwice() : Push(0.25f) {}
  virtual void run(Body *b, int n) {
    Push::run(b, n);
    Push::run(b + n / 2, n - n / 2);
  }
  const Body *first(const Body *bodies) const final { return bodies + 1; }
};

template <int N> struct Damp : Stage {
  void run(Body *bodies, int n) override { for (int k = 0; k < N; ++k) damp<<<1, 128>>>(bodies, n); }
};

int main() {
  const int n = 100;
  std::vector<Body> host(n);
  for (int i = 0; i < n; ++i) host[i] = {float(i), 1, 0};
  Body *bodies;
  cudaMalloc(&bodies, n * sizeof(Body));
  cudaMemcpy(bodies, host.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
  std::vector<std::unique_ptr<Stage>> stages;
  stages.push_back(std::make_unique<Push>(0.5f));
  stages.push_back(std::make_unique<PushTwice>());
  stages.push_back(std::make_unique<Damp<3>>());
  for (auto &stage : stages) {
    stage->run(bodies, n);
    Body one;
    cudaMemcpy(&one, stage->first(bodies), sizeof(Body), cudaMemcpyDeviceToHost);
    printf("%g %g %d\n", one.x, one.v, one.steps);
  }
  cudaFree(bodies);
}
