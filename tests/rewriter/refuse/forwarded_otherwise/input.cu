// R soa
// A template that does more with its arguments than to pass them on would do it with views.
#include <tuple>
#include <type_traits>
#include <utility>

struct R {
  float x, y;
};

__global__ void k(int n, R *p) { p[n].x = 1; }

template <class K, class... A> void sized(K kernel, int n, A... args) { // refused: RL-R07
  int bytes = 0;
  for (int size : {int(sizeof(A))...})
    bytes += size;
  kernel<<<1, bytes>>>(n, args...);
}
template <class K, class A> void kept(K kernel, int n, A arg) { // refused: RL-R07
  A copy = arg;                                                 // refused: RL-R07
  kernel<<<1, 1>>>(n, copy);
}
template <class K, class A> void branching(K kernel, int n, A arg) { // refused: RL-R07
  if (std::is_pointer<A>::value)
    kernel<<<1, 1>>>(n, arg);
}
template <class K, class A> void both(K kernel, int n, A a, A b) { // refused: RL-R07
  kernel<<<1, 1>>>(n, a != b ? a : b);
}
template <class K, class... A> void given(K kernel, int n, A... args) { // refused: RL-R07
  kernel<<<1, 1>>>(n, args...);
}
template <class K, class A> void chosen(K kernel, int n, A arg) { // refused: RL-R07
  kernel<<<1, 1>>>(n, arg);
}
template <class K> void chosen(K kernel, int n, R &arg) {}
template <class K, class... A> void cast(K kernel, int n, A... args) { // refused: RL-R07
  kernel<<<1, 1>>>(n, args...);
}
int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  sized(k, 3, p);
  kept(k, 3, p);
  branching(k, 3, p);
  both(k, 3, p, p);
  given<void (*)(int, R *), R *>(k, 3, p);
  chosen(k, 3, p);
  cast(k, 3, (R *)p);
}
