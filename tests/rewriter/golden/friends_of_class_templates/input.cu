// A class template whose friends are defined in it.
#include <cstdio>
#include <cuda_runtime.h>
#include <utility>
#include <vector>

template <class T> class Buffer {
public:
  explicit Buffer(std::size_t size) : size_(size) { cudaMalloc(&memory_, size * sizeof(T)); }
  Buffer(const Buffer &) = delete;
  Buffer(Buffer &&other) noexcept : Buffer(0) { swap(*this, other); }
  Buffer &operator=(Buffer other) noexcept {
    swap(*this, other);
    return *this;
  }
  ~Buffer() { cudaFree(memory_); }

  T *data() { return memory_; }
  void upload(const std::vector<T> &host) {
    cudaMemcpy(memory_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  std::vector<T> download() const {
    std::vector<T> host(size_);
    cudaMemcpy(host.data(), memory_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }

  friend void swap(Buffer &a, Buffer &b) noexcept {
    using std::swap;
    swap(a.memory_, b.memory_);
    swap(a.size_, b.size_);
  }
  friend bool operator==(const Buffer &a, const Buffer &b) { return a.memory_ == b.memory_; }
  friend class Pool;

private:
  T *memory_ = nullptr;
  std::size_t size_ = 0;
};

struct Item {
  float weight, value;
  int bin;
};

__global__ void pack(const Item *in, Item *out, const float *scales, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Item item = in[i];
  item.weight += item.value * scales[i];
  out[i] = item;
}

int main() {
  const int n = 75;
  std::vector<Item> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {0.5f * i, 1.0f, i % 4};
  Buffer<Item> items(n), packed(n);
  Buffer<float> scales(n);
  items.upload(host);
  scales.upload(std::vector<float>(n, 3.0f));
  for (int step = 0; step < 2; ++step) {
    pack<<<(n + 31) / 32, 32>>>(items.data(), packed.data(), scales.data(), n);
    swap(items, packed);
  }
  std::printf("%g\n", items.download()[9].weight);
}
