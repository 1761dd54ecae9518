// R soa
struct R {
  float x, y;
};

#define X(p, i) (p)[i].x

__global__ void k(R *p) { X(p, threadIdx.x) += 1; } // refused: RL-R02

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
