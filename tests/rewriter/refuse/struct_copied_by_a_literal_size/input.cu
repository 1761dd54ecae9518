// R soa
struct R {
  float x, y;
};
struct Args {
  R *p;
  int n;
};

__global__ void k(Args *a) { a->p[a->n].x = 1; }

int main() {
  Args args;
  args.n = 0;
  cudaMalloc(&args.p, 64 * sizeof(R));
  Args *d;
  cudaMalloc(&d, 16);                                // refused: RL-R10
  cudaMemcpy(d, &args, 16, cudaMemcpyHostToDevice);  // refused: RL-R10
  k<<<1, 1>>>(d);
}
