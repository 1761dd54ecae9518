// R soa
struct R {
  float x, y;
};
struct Args {
  R *p;
  int n;
};
__constant__ Args constants[2];

__global__ void k() { constants[1].p[constants[1].n].x = 1; }

int main() {
  Args args;
  args.n = 0;
  cudaMalloc(&args.p, 64 * sizeof(R));
  cudaMemcpyToSymbol(constants, &args, sizeof(Args), 16); // refused: RL-R10
  k<<<1, 1>>>();
}
