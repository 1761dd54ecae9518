// R soa
struct R {
  float x1, y1;
};

// Joins tokens, and so cannot be written out.
#define FIELD(p, i, f) (p)[i].f##1

__global__ void k(R *p) { FIELD(p, threadIdx.x, x) += 1; } // refused: RL-R02

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
