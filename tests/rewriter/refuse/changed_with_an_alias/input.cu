// V soa
struct V {
  float x, y;
};
__device__ V &operator*=(V &a, const V &b) {
  a.x = a.x * b.x - a.y * b.y;
  a.y = a.x * b.y + a.y * b.x;
  return a;
}
__device__ void operator/=(V &a, const float &s) {
  a.x /= s;
  a.y /= s;
}
__device__ void operator^=(V &a, V &b) {
  V t = a;
  a = b;
  b = t;
}
__global__ void k(V *a, const V *b, int n) {
  int i = threadIdx.x;
  a[i] *= b[i];
  a[i] *= a[n - i];   // refused: RL-R09
  a[i] /= a[n - i].x; // refused: RL-R09
  a[i] ^= a[n - i];   // refused: RL-R09
}
int main() {
  V *a, *b;
  cudaMalloc(&a, 100 * sizeof(V));
  cudaMalloc(&b, 100 * sizeof(V));
  k<<<1, 64>>>(a, b, 64);
}
