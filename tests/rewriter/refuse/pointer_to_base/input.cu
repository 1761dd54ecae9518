// R soa
struct Base {
  float x, y;
};
struct R : Base {
  float z;
};

__device__ void move(Base *b) { b->x += 1; }

__global__ void k(R *p, Base *others) {
  move(&p[1]);    // refused: RL-R05
  Base *b = p;    // refused: RL-R05
  Base &r = p[0]; // refused: RL-R09
  others[2].x = 1;
  b->x = r.x;
}

int main() {
  R *p;
  Base *others;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&others, 64 * sizeof(Base));
  k<<<1, 1>>>(p, others);
}
