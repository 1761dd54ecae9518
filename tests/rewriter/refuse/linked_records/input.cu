// R soa
struct R {
  float x, y;
  R *next; // refused: RL-R10
};

__global__ void k(R *p) { p[0].next = &p[1]; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
