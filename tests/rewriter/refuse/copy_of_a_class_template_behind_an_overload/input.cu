// Cell soa
__device__ int weight(double) { return 2; }

template <class T> struct Weigh { // refused: RL-R07
  T *all;
  __device__ void run(int i) const { all[i].x = weight(1); }
};

__device__ int weight(int) { return 0; }

struct Cell {
  int x, y;
};

__global__ void weigh(Weigh<Cell> cells) { cells.run(threadIdx.x); }

int main() {
  Weigh<Cell> cells;
  cudaMalloc(&cells.all, 32 * sizeof(Cell));
  weigh<<<1, 32>>>(cells);
}
