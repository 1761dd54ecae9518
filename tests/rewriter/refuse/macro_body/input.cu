// R soa
struct R {
  float x1, y1;
};

// Makes a string of an argument, and so cannot be written out.
#define FIELD(p, i, f) (check(#f), p)[i].f

__device__ void check(const char *) {}

__global__ void k(R *p) { FIELD(p, threadIdx.x, x1) += 1; } // refused: RL-R02

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
