// What the other files declare with definitions of their own.
struct R {
  float x, y, z;
};
struct Sim {
  R *rows;
  int n;
  double total;
};

__global__ void step(R *rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    rows[i].x += rows[i].y + i;
}

extern "C" void start(Sim *sim, int n) {
  sim->n = n;
  sim->total = 1;
  cudaMalloc(&sim->rows, n * sizeof(R));
  cudaMemset(sim->rows, 0, n * sizeof(R));
}

extern "C" void run(Sim *sim) {
  step<<<1, sim->n>>>(sim->rows, sim->n);
  R row;
  cudaMemcpy(&row, sim->rows + 3, sizeof row, cudaMemcpyDeviceToHost);
  sim->total += row.x;
  cudaFree(sim->rows);
}
