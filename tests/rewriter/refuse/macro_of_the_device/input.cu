// Cell soa
// A macro that means something else while nvcc compiles for the device.
struct Cell {
  float heat;
  int hits;
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 600
#define ADD(p, k, v) atomicAdd(&(p)[k].heat, v)
#else
#define ADD(p, k, v) ((p)[k].heat += (v))
#endif

__global__ void step(Cell *cells, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    ADD(cells, i % 7, 3.0f); // refused: RL-R02
}

int main()
{
  Cell *cells;
  cudaMalloc(&cells, 64 * sizeof(Cell));
  step<<<1, 64>>>(cells, 64);
  cudaFree(cells);
  return 0;
}
