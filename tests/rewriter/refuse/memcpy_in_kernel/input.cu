// R soa
struct R {
  float x, y;
};

__global__ void k(R *p, R *q) { memcpy(p, q, 6); }          // refused: RL-R08
__global__ void move(R *p, R *q) { memmove(p, q, 8); }      // refused: RL-R08
__global__ void zero(R *p) { memset(p, 0, 6); }             // refused: RL-R08
__host__ __device__ void both(R *p, R *q) { memcpy(p, q, sizeof(R)); } // refused: RL-R08
__global__ void call(R *p, R *q) { both(p, q); }

int main() {
  R *p, *q;
  cudaMallocManaged(&p, 64 * sizeof(R));
  cudaMallocManaged(&q, 64 * sizeof(R));
  k<<<1, 1>>>(p, q);
  move<<<1, 1>>>(p, q);
  zero<<<1, 1>>>(p);
  call<<<1, 1>>>(p, q);
}
