// R:main::p soa|R:main::q aligned 16
struct R {
  float x, y;
};

__global__ void k(R *a) { a[0].x = 1; }
__global__ void l(R *b) { b[0].y = 1; }

int main() {
  R *p;
  R *q;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&q, 64 * sizeof(R));
  k<<<1, 1>>>(p);
  l<<<1, 1>>>(q);
  cudaMemcpy(q, p, 64 * sizeof(R), cudaMemcpyDeviceToDevice); // refused: RL-R12
}
