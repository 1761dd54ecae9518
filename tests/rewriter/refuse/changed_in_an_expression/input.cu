// V soa
struct V {
  float x, y;
  __device__ float step(float f) {
    x += f;
    y += f;
    return x;
  }
};
__device__ V &operator+=(V &a, V b) {
  a.x += b.x;
  a.y += b.y;
  return a;
}
__global__ void k(V *a, int n) {
  int i = threadIdx.x;
  float f = a[i].step(1);
  for (; i < n; a[i] += V{1, 2}, ++i) // refused: RL-R09
    ;
  a[i++] += V{f, f};      // refused: RL-R09
  a[i].step(i += 1);      // refused: RL-R09
  a[int(a[i].x)].step(f); // refused: RL-R09
}
int main() {
  V *a;
  cudaMalloc(&a, 100 * sizeof(V));
  k<<<1, 64>>>(a, 64);
}
