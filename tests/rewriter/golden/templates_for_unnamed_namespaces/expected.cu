// Templates of a namespace, for records of one without a name inside.
// clang-format off
#include <cstdio>
#include <memory>

namespace fem {

template <class T> struct Free {
  void operator()(T *p) const noexcept { cudaFree(p); }
};
template <class T> using DevicePtr = std::unique_ptr<T[], Free<T>>;
template <class T> DevicePtr<T> make(std::size_t n) {
  T *raw = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&raw), n * sizeof(T));
  return DevicePtr<T>(raw);
}
template <class T> void show(const T *array, std::size_t n) {
  T last;
  cudaMemcpy(&last, array + n - 1, sizeof(T), cudaMemcpyDeviceToHost);
  printf("%g\n", last.a);
}

namespace {

struct Sums { double a, b; };
} // namespace
} // namespace fem
#include "sums_layout.h"
namespace fem {

template <> struct Free<fem::Sums> {
  using pointer = fem::SumsView;
  void operator()(fem::SumsView p) const noexcept { sumsFree(p); }
};

template <> DevicePtr<fem::Sums> make<fem::Sums>(std::size_t n) {
  fem::SumsView raw = nullptr;
  sumsMalloc(&raw, n * sizeof(fem::Sums));
  return DevicePtr<fem::Sums>(raw);
}

void show(fem::ConstSumsView array, std::size_t n) {
  fem::Sums last;
  sumsMemcpy(&last, array + n - 1, sizeof(fem::Sums), cudaMemcpyDeviceToHost);
  printf("%g\n", last.a);
}

namespace {
struct Other { float a; };

__global__ void sum(SumsView sums, int n) {
  int i = threadIdx.x;
  if (i < n) {
    sums.a(i) = i;
    sums.b(i) = 2 * i;
  }
}
__global__ void fill(Other *other) { other[threadIdx.x].a = threadIdx.x; }

} // namespace

void run(int n) {
  auto sums = make<Sums>(n);
  auto other = make<Other>(n);
  sum<<<1, n>>>(sums.get(), n);
  fill<<<1, n>>>(other.get());
  show(sums.get(), n);
  show(other.get(), n);
}

} // namespace fem

int main() { fem::run(64); }
