// Cell soa
// The template calls weight(double), and code behind the record would call weight(int).
__device__ int weight(double) { return 2; }

template <class T> __global__ void weigh(T *all) { all[threadIdx.x].x = weight(1); } // refused: RL-R07

__device__ int weight(int) { return 0; }

struct Cell {
  int x, y;
};

int main() {
  Cell *cells;
  cudaMalloc(&cells, 32 * sizeof(Cell));
  weigh<<<1, 32>>>(cells);
}
