// Cell soa
struct Cell {
  int x, y;
};

template <class T, class F>
struct Change {
  T *all; // refused: RL-R07
  F apply;
  __device__ void operator()(int i) const { all[i].x = apply(all[i].x); }
};

template <class F> __global__ void run(F change) { change(threadIdx.x); }

struct Twice {
  __device__ int operator()(int x) const { return 2 * x; }
};

int main() {
  Cell *cells;
  cudaMalloc(&cells, 32 * sizeof(Cell));
  run<<<1, 32>>>(Change<Cell, Twice>{cells, {}});
}
