// R soa
struct R {
  float x, y;
};

R *second(R **p) { return *++p; } // refused: RL-R05 RL-R06

void fill(int **p) { *p = nullptr; }

void keep(const R *&from, R *to) { from = to; }

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64);
  const R *q = nullptr;
  keep(q, p);
  second(&p);
  fill((int **)&p); // refused: RL-R06
  k<<<1, 1>>>(p);
}
