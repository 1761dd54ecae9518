// R soa
// A template that keeps the kernel that it is given, or is given one by a pointer.
struct R {
  float x, y;
};

__global__ void k(int n, R *p) { p[n].x = 1; }
__global__ void twin(R *p, int n) { p[n].y = 1; }
__global__ void last(int n, int m, R *p) { p[n + m].y = 1; }

template <class K, class... A> void tested(K kernel, A... args) {
  if (kernel != nullptr)
    kernel<<<1, 1>>>(args...); // refused: RL-R05
}
template <class K, class... A> void pointed(K kernel, A... args) {
  kernel<<<1, 1>>>(args...); // refused: RL-R05
}
template <class K, class... A> void called(K kernel, A... args) {
  tested(kernel, args...);
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  tested(k, 3, p);                  // refused: RL-R05
  void (*pointer)(R *, int) = twin;
  pointed(pointer, p, 3);
  called(last, 3, 4, p); // refused: RL-R05
}
