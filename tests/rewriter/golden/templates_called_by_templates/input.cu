// A buffer in front of the records of its namespace, and a template that stays, whose calls mean copies in one
// of its instances.
// clang-format off
#include <cstdio>
#include <vector>

namespace lib {

template <typename T>
class Buffer {
 public:
  explicit Buffer(const std::vector<T> &from) : size_(from.size()) {
    cudaMalloc(&items_, size_ * sizeof(T));
    cudaMemcpy(items_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Buffer() { cudaFree(items_); }
  void clear() { cudaMemset(items_, 0, size_ * sizeof(T)); }
  std::vector<T> download() const {
    std::vector<T> all(size_);
    cudaMemcpy(all.data(), items_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
    return all;
  }
  T *items() { return items_; }

 private:
  T *items_ = nullptr;
  size_t size_;
};

template <int N>
struct Point {
  float at[N];
  int hits;
};

struct Pixel {
  float at[2];
  int hits;
};

template <typename P>
__global__ void move(P *points, const P *by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  points[i].at[1] += by[i].at[0];
  points[i].hits++;
}

template <int N>
__global__ void turn(Point<N> *points, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    points[i].at[N - 1] *= -1;
}

template <typename P>
void run(int n) {
  std::vector<P> host(n);
  for (int i = 0; i < n; i++) {
    host[i].at[0] = i;
    host[i].hits = 1;
  }
  Buffer<P> points(host), by(host);
  move<P><<<1, 64>>>(points.items(), by.items(), n);
  std::vector<P> moved = points.download();
  printf("%g %d\n", moved[3].at[1], moved[3].hits);
}

template <int N>
void runTurned(int n) {
  Buffer<Point<N>> points(std::vector<Point<N>>(n, Point<N>{{1, 2}, 3}));
  turn<N><<<1, 64>>>(points.items(), n);
  printf("%g\n", points.download()[1].at[N - 1]);
}

} // namespace lib

int main() {
  lib::run<lib::Point<3>>(40);
  lib::run<lib::Pixel>(30);
  lib::runTurned<2>(20);
  lib::runTurned<3>(10);
}
