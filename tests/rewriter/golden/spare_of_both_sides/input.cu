#include <cstdio>
#include <cstdlib>

struct Cell {
  float heat;
  float conducts;
};

__global__ void step(const Cell *now, Cell *next, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < count - 1) {
    next[i].heat = now[i].heat + now[i].conducts * (now[i - 1].heat - 2 * now[i].heat + now[i + 1].heat);
    next[i].conducts = now[i].conducts;
  }
}

void stepOnHost(const Cell *now, Cell *next, int count) {
  for (int i = 1; i < count - 1; ++i) {
    next[i].heat = now[i].heat + now[i].conducts * (now[i - 1].heat - 2 * now[i].heat + now[i + 1].heat);
    next[i].conducts = now[i].conducts;
  }
}

int main() {
  const int count = 1000, steps = 5;
  const size_t bytes = count * sizeof(Cell);
  Cell *host, *hostNext, *cells, *next, *spare;
  host = (Cell *)malloc(bytes);
  hostNext = (Cell *)malloc(bytes);
  cudaMalloc(&cells, bytes);
  cudaMalloc(&next, bytes);
  for (int i = 0; i < count; ++i)
    host[i] = hostNext[i] = {float(i * 7 % 100), 0.1f};
  cudaMemcpy(cells, host, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(next, host, bytes, cudaMemcpyHostToDevice);

  // The reference.
  for (int s = 0; s < steps; ++s) {
    stepOnHost(host, hostNext, count);
    spare = host;
    host = hostNext;
    hostNext = spare;
  }
  for (int s = 0; s < steps; ++s) {
    step<<<(count + 255) / 256, 256>>>(cells, next, count);
    spare = cells;
    cells = next;
    next = spare;
  }
  cudaMemcpy(hostNext, cells, bytes, cudaMemcpyDeviceToHost);
  float most = 0;
  for (int i = 0; i < count; ++i) {
    float error = host[i].heat - hostNext[i].heat;
    most = error * error > most ? error * error : most;
  }
  printf("%g\n", most);
  free(host);
  free(hostNext);
  cudaFree(cells);
  cudaFree(next);
}
