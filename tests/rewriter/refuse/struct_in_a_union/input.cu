// R soa
struct R {
  float x, y;
};
struct Args {
  R *p;
  int n;
};
union Packed {
  Args args; // refused: RL-R10
  char bytes[16];
};

__global__ void k(Packed packed) { packed.args.p[packed.args.n].x = 1; }

int main() {
  Packed packed;
  packed.args.n = 0;
  cudaMalloc(&packed.args.p, 64 * sizeof(R));
  k<<<1, 1>>>(packed);
}
