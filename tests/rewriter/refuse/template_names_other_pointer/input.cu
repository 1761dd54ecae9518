// A soa|B soa
struct A { float x, y; };
struct B { float x, y; };
__device__ B *table;
template <class T> __global__ void k(T *a) {
  a[threadIdx.x].x += table[threadIdx.x].x; // refused: RL-R07
}
int main() {
  A *a;
  B *b;
  cudaMalloc(&a, 64 * sizeof(A));
  cudaMalloc(&b, 64 * sizeof(B));
  cudaMemcpyToSymbol(table, &b, sizeof(B *));
  k<<<1, 64>>>(a);
}
