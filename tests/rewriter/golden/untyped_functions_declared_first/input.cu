// A function that allocates memory of any type, declared in front of what calls it.
// clang-format off
#include <cstdio>

struct Board { int cells[4]; bool isValid; float weight; };

void prepare(cudaError_t &status, void **boards, void **scores);
void finish(void *boards, void *scores);

__global__ void score(Board *boards, float *scores, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && boards[i].isValid) scores[i] = boards[i].weight;
}

int main() {
  const int n = 64;
  static Board host[n];
  float scores[n];
  for (int i = 0; i < n; ++i) host[i] = {{i, 0, 0, 0}, i % 2 == 0, 0.5f * i};
  cudaError_t status;
  Board *boards = 0;
  float *found = 0;
  prepare(status, (void **)&boards, (void **)&found);
  cudaMemcpy(boards, host, n * sizeof(Board), cudaMemcpyHostToDevice);
  score<<<1, n>>>(boards, found, n);
  cudaMemcpy(scores, found, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", scores[2]);
  finish(boards, found);
}

void prepare(cudaError_t &status, void **boards, void **scores) {
  status = cudaMalloc(boards, 64 * sizeof(Board));
  if (status != cudaSuccess) fprintf(stderr, "no memory\n");
  status = cudaMalloc(scores, 64 * sizeof(float));
  cudaMemset(*scores, 0, 64 * sizeof(float));
}

void finish(void *boards, void *scores) {
  cudaFree(boards);
  cudaFree(scores);
}
