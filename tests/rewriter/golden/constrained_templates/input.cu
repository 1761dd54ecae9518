// Templates with concepts.
// clang-format off
#include <cstdio>
#include <concepts>
#include <type_traits>
#include <vector>
#include <span>
template <class T> concept Trivial = std::is_trivially_copyable_v<T>;
template <Trivial T> class DeviceArray {
public:
  explicit DeviceArray(std::size_t n) : size_(n) { cudaMalloc(reinterpret_cast<void **>(&data_), n * sizeof(T)); }
  ~DeviceArray() { cudaFree(data_); }
  void upload(const std::vector<T> &v) { cudaMemcpy(data_, v.data(), size_ * sizeof(T), cudaMemcpyHostToDevice); }
  std::vector<T> download() const { std::vector<T> v(size_); cudaMemcpy(v.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost); return v; }
  T *data() noexcept { return data_; }
private:
  T *data_ = nullptr; std::size_t size_ = 0;
};
namespace model { struct Row { int begin, end; float w; }; }
template <class R> requires Trivial<R> __global__ void k(R *r, int n) { int i = threadIdx.x; if (i < n) { r[i].w += r[i].end - r[i].begin; } }
template <Trivial R> void run(DeviceArray<R> &a, int n) { k<<<1, n>>>(a.data(), n); }
int main() {
  std::vector<model::Row> h(64); for (int i = 0; i < 64; i++) h[i] = {i, 3 * i, 1.f};
  DeviceArray<model::Row> d(64); d.upload(h);
  DeviceArray<float> f(3);
  run(d, 64);
  h = d.download();
  printf("%g\n", h[7].w);
}
