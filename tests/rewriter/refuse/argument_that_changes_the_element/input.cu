// Cell soa
// Bodies that see what another argument has changed: a copy of the element would not show it.
struct Cell {
  float heat;
  int hits;

  __device__ int read(int y) const { return hits * 10 + y; }
  __device__ bool operator<(int y) const { return hits < y; }
};

__device__ int readCell(const Cell &cell, int y) { return cell.hits * 10 + y; }

__device__ int bump(Cell *cell) { return ++cell->hits; }

__device__ unsigned next(unsigned &seed) { return seed = seed * 1664525u + 1013904223u; }

__global__ void step(Cell *cells, int *out, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned seed = i;
  int steps = 0;
  out[i] = readCell(cells[i], next(seed) % 7) + cells[i].read(steps++);
  out[i] += readCell(cells[i], cells[i].hits++);              // refused: RL-R09
  out[i] += cells[i].read(cells[i].hits += 2);                // refused: RL-R09
  out[i] += cells[i].read(atomicAdd(&cells[i].hits, 1));      // refused: RL-R09
  out[i] += readCell(cells[i], bump(cells + i));              // refused: RL-R09
  out[i] += cells[i] < (cells[i].hits += 2);                  // refused: RL-R09
}

int main()
{
  Cell *cells;
  int *out;
  cudaMalloc(&cells, 64 * sizeof(Cell));
  cudaMalloc(&out, 64 * sizeof(int));
  step<<<1, 64>>>(cells, out, 64);
  cudaFree(cells);
  cudaFree(out);
  return 0;
}
