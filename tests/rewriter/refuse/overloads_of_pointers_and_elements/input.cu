// R soa
// Both would take views, and calls could not tell them apart.
struct R {
  float x, y;
};

void swap(R *&a, R *&b) {
  R *c = a;
  a = b;
  b = c;
}
__device__ void swap(R &a, R &b) { // refused: RL-R10
  R t = a;
  a = b;
  b = t;
}

__global__ void k(R *p) { swap(p[0], p[threadIdx.x]); }

int main() {
  R *p, *q;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&q, 64 * sizeof(R));
  k<<<1, 32>>>(p);
  swap(p, q);
  k<<<1, 32>>>(q);
}
