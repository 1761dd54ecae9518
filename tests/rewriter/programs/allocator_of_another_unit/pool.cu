#include "pool.cuh"

static Pool only;
Pool *const pool = &only;

void Pool::take(void **memory, size_t bytes) {
  cudaMalloc(memory, bytes);
  taken += bytes;
}

void Pool::give(void *memory) { cudaFree(memory); }
