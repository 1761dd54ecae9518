// R soa
#include <span>
#include <type_traits>

struct R {
  float x, y;
};

template <class T> struct IsSpan : std::false_type {};
template <class T> struct IsSpan<std::span<T>> : std::true_type {};

template <class S> __global__ void k(S s) {
  if constexpr (IsSpan<S>::value)
    s[threadIdx.x].x += 1;
  else
    s[threadIdx.x].y += 1;
}

int main() {
  R *d;
  cudaMalloc(&d, 64 * sizeof(R));
  std::span<R> r(d, 64); // refused: RL-R05
  k<<<1, 64>>>(r);
}
