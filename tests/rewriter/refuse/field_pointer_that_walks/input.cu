// R soa
struct Pair {
  float a, b;
};

struct R {
  float x, y;
  float at[3];
  int n;
  Pair pair;
};

struct Cursor {
  float *place;
};

__device__ float *last;
__device__ float sum(const float *v, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += v[i]; // refused: RL-R04
  return s;
}
__device__ float *same(float *v) {
  return v;
}
__device__ float unseen(float *v);

__global__ void k(R *p, const R *q, float *out, int i) {
  float *x = &p[i].x;
  x[1] = 2; // refused: RL-R04
  float *y = &p[i].y;
  y++; // refused: RL-R04
  float *at = p[i].at;
  at[3] = 1; // refused: RL-R04
  out[0] = sum(&p[i].x, 2);
  same(&p[i].y);
  last = &p[i].x;    // refused: RL-R04
  Cursor c{&p[i].x}; // refused: RL-R04
  unseen(&p[i].x);   // refused: RL-R04
  const float *z = &q[i].x;
  out[2] = z[1];                       // refused: RL-R04
  double *both = (double *)&p[i].pair; // refused: RL-R04
  *both = 1;
  char *bytes = (char *)&p[i].n; // refused: RL-R04
  out[1] = *c.place + *z + bytes[5];
}

int main() {
  R *p;
  float *out;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&out, 64 * sizeof(float));
  k<<<1, 1>>>(p, p, out, 3);
}
