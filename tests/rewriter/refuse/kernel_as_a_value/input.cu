// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  void (*chosen)(R *) = k; // refused: RL-R05
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
