// R soa
struct R {
  float x, y;
};

__global__ void k(R *p, R *q) { memcpy(p, q, sizeof(R)); } // refused: RL-R08

int main() {
  R *p, *q;
  cudaMallocManaged(&p, 64 * sizeof(R));
  cudaMallocManaged(&q, 64 * sizeof(R));
  k<<<1, 1>>>(p, q);
}
