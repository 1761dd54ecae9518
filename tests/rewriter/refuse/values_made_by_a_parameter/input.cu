// Cell soa
struct Cell {
  int x, y;
};

template <class T, class U> __global__ void scale(T *all, U by) { // refused: RL-R07
  all[threadIdx.x].x = U(all[threadIdx.x].x) * by;
}

int main() {
  Cell *cells;
  cudaMalloc(&cells, 32 * sizeof(Cell));
  scale<<<1, 32>>>(cells, 3ull);
}
