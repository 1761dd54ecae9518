// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

struct Stage {
  virtual void run(void *p) = 0;
};

struct Step : Stage {
  void run(void *p) override { k<<<1, 1>>>((R *)p); } // refused: RL-R05
};

struct Other : Step {
  void run(R *p) { k<<<1, 1>>>(p + 1); }
};

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  Other other;
  Step &step = other;
  step.run(p);
  other.run(p);
}
