// Cell soa
struct Cell {
  int x, y;
};

template <class T, class P> __global__ void copy(T *all, P out) { // refused: RL-R07
  P first = out, second = out + 32;
  first[threadIdx.x] = second[threadIdx.x] = all[threadIdx.x].x;
}

int main() {
  Cell *cells;
  int *out;
  cudaMalloc(&cells, 32 * sizeof(Cell));
  cudaMalloc(&out, 64 * sizeof(int));
  copy<<<1, 32>>>(cells, out);
}
