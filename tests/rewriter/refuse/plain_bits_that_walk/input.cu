// double aligned 0 order 4 1,0
// The bits of one element may be named by another type; those of the next element are elsewhere,
// and a pointer that is kept may be used for them.
struct Cursor {
  long long *place;
};

__device__ long long *last;
__device__ long long first(long long *from, int n) {
  long long sum = 0;
  for (int i = 0; i < n; ++i)
    sum += from[i]; // refused: RL-R04
  return sum;
}
__device__ long long *bitsOf(double *u) {
  return (long long *)u;
}
__device__ long long unseen(long long *bits);

__global__ void k(double *u, const double *v, long long *out) {
  long long *bits = (long long *)u;
  bits[1] = 2; // refused: RL-R04
  long long *next = (long long *)(u + 1);
  ++next;                            // refused: RL-R04
  last = (long long *)u;             // refused: RL-R04
  Cursor cursor{(long long *)&u[2]}; // refused: RL-R04
  unseen((long long *)u);            // refused: RL-R04
  int *halves = (int *)u;            // refused: RL-R05
  *(long long *)v = 3;               // refused: RL-R05
  *(long long *)&v[1] = 3;           // refused: RL-R04
  out[0] = first((long long *)u, 2) + *bitsOf(u) + *cursor.place + *halves;
  out[1] = *next;
  out = bits + 1;           // refused: RL-R04
  out[2] = (long long)bits; // refused: RL-R04
}

int main() {
  double *u;
  long long *out;
  cudaMalloc(&u, 64 * sizeof(double));
  cudaMalloc(&out, 64 * sizeof(long long));
  k<<<1, 32>>>(u, u, out);
}
