// Cell soa
struct Cell {
  int x, y;
};

template <class T, class F>
__global__ void each(T *all, F apply) { // refused: RL-R07
  apply(all[threadIdx.x]);
}

int main() {
  Cell *cells;
  int *out;
  cudaMalloc(&cells, 32 * sizeof(Cell));
  cudaMalloc(&out, 32 * sizeof(int));
  each<<<1, 32>>>(cells, [=] __device__(Cell &cell) { cell.x = 3; });
  each<<<1, 32>>>(cells, [=] __device__(const Cell &cell) { *out = cell.y; });
}
