// R soa
struct R {
  float x, y;
};

struct Nothing {
  __device__ virtual void go(R *, int) {}
};
struct Bump : Nothing {
  __device__ void go(R *p, int i) override { p[i].x += 1; }
};

__device__ float look(const R &r, Nothing *what, R *all, int i) {
  what->go(all, i);
  return r.x + r.y;
}

__global__ void k(R *p) {
  const int i = threadIdx.x;
  Bump bump;
  p[i].y = look(p[i], &bump, p, i); // refused: RL-R09
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 64>>>(p);
}
