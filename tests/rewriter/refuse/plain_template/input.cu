// double aligned 0 order 4 1,0
template <class T> __global__ void k(T *u) { u[threadIdx.x] = 1; }
template <class T> struct Base {};
template <class T> struct Hold : Base<T> { T *values; }; // refused: RL-R07
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  Hold<double> hold;
  hold.values = u;
  k<<<1, 32>>>(hold.values);
}
