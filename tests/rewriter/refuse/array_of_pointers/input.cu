// R soa
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

void launch(R **all, int i) {
  k<<<1, 1>>>(all[i]);
  k<<<1, 1>>>(*(all + i)); // refused: RL-R05 RL-R06
}

int main() {
  R *p[2];
  cudaMalloc(&p[0], 64 * sizeof(R));
  cudaMalloc(&p[1], 64 * sizeof(R));
  launch(p, 0);
  R **kept = p; // refused: RL-R06
  launch(kept, 1);
}
