// R soa
struct R {
  float x, y;
  __device__ void add(const float *by) {
    x += *by;
    y += *by;
  }
};

__global__ void k(R *p, const float *table, int i) {
  p[i].add(table);
  p[i].add(&p[i].x); // refused: RL-R09
  float *x = &p[i].x;
  p[i].add(x); // refused: RL-R09
  *x = 3;
}

int main() {
  R *p;
  float *table;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&table, 64 * sizeof(float));
  k<<<1, 1>>>(p, table, 3);
}
