// R soa
struct R {
  float x, y;
  __device__ void operator()(const float *by) {
    x += *by;
    y += *by;
  }
};

__global__ void k(R *p, const float *table, int i) {
  p[i](table);
  p[i](&p[i].x); // refused: RL-R09
  float *x = &p[i].x;
  p[i](x); // refused: RL-R09
  *x = 3;
}

int main() {
  R *p;
  float *table;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&table, 64 * sizeof(float));
  k<<<1, 1>>>(p, table, 3);
}
