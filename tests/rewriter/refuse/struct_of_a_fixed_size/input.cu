// R soa
struct R {
  float x, y;
};
struct Args {
  R *p;
  int n;
};
static_assert(sizeof(Args) == 16, "passed by value"); // refused: RL-R10

__global__ void k(Args a) { a.p[a.n].x = 1; }

int main() {
  Args args{nullptr, 0};
  cudaMalloc(&args.p, 64 * sizeof(R));
  if (sizeof(args) != 16) // refused: RL-R10
    return 1;
  k<<<1, 1>>>(args);
}
