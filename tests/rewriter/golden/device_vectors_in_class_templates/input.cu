// Class templates that hold Thrust vectors of records, and of numbers.
#include <cstdio>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <vector>

// Memory of the device with a copy on the host.
template <typename T, int Padding = 0> class Buffer {
public:
  explicit Buffer(std::size_t size) : host_(size), device_(size + Padding) {}
  Buffer(Buffer &&other) = default;

  T &operator[](std::size_t i) { return host_[i]; }
  T *data() { return thrust::raw_pointer_cast(device_.data()); }
  std::size_t size() const { return host_.size(); }

  void upload() { device_.assign(host_.data(), host_.data() + host_.size()); }
  const std::vector<T> &download() {
    thrust::copy(device_.begin(), device_.end(), host_.begin());
    return host_;
  }

private:
  std::vector<T> host_;
  thrust::device_vector<T> device_;
};

struct Cell {
  double density, energy;
  int level;
};

__global__ void heat(Cell *cells, const float *sources, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells[i].energy += cells[i].density * sources[i];
}

int main() {
  const int n = 70;
  Buffer<Cell> cells(n);
  Buffer<float> sources(n);
  for (int i = 0; i < n; ++i) {
    cells[i] = {1.0 + i, 0.5 * i, i % 3};
    sources[i] = 0.25f * i;
  }
  cells.upload();
  sources.upload();
  Buffer<Cell> moved = std::move(cells);
  heat<<<(n + 31) / 32, 32>>>(moved.data(), sources.data(), n);
  std::printf("%g %d\n", moved.download()[9].energy, moved[8].level);
}
