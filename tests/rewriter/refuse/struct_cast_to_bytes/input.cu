// R soa
struct R {
  float x, y;
};
struct Args {
  R *p;
  int n;
};
struct Outer {
  Args args;
};

__global__ void k(Args a) { a.p[a.n].x = 1; }

int main() {
  Outer outer;
  outer.args.n = 0;
  cudaMalloc(&outer.args.p, 64 * sizeof(R));
  const char *bytes = reinterpret_cast<const char *>(&outer); // refused: RL-R10
  const long address = (long)&outer.args;                     // refused: RL-R10
  k<<<1, 1>>>(outer.args);
  return bytes[0] + int(address);
}
