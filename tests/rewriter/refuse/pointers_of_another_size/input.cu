// R soa
struct R {
  float x, y;
};

__global__ void k(R **rows) { rows[threadIdx.x][0].x = 1; }

int main() {
  R *rows[4], **onDevice;
  for (int i = 0; i < 4; ++i)
    cudaMalloc(&rows[i], 64 * sizeof(R));
  cudaMalloc(&onDevice, 4 * sizeof(R *));
  cudaMemcpy(onDevice, rows, 4 * sizeof(void *), cudaMemcpyHostToDevice); // refused: RL-R10
  k<<<1, 4>>>(onDevice);
  cudaMemcpy(rows, onDevice, sizeof(rows), cudaMemcpyDeviceToHost); // refused: RL-R08
}
