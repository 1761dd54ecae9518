// R soa
struct R {
  float x, y;
};

// The argument is an element in one place and something else in the other.
#define BOTH(e, f) ((e).f + (float)sizeof(e))

__global__ void k(R *p) { p[0].y = BOTH(p[1], x); } // refused: RL-R02
#undef BOTH

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
