// Cell soa
namespace ops {
struct Weight {
  int w;
};
__device__ int operator*(Weight w, double x) { return w.w + int(x); }
__device__ int weight(double) { return 2; }
} // namespace ops

template <class T> __global__ void weigh(T *all, ops::Weight w) { // refused: RL-R07
  all[threadIdx.x].x = w * 1 + ops::weight(1);
}

namespace ops {
__device__ int operator*(Weight w, int x) { return w.w - x; }
__device__ int weight(int) { return 0; }
} // namespace ops

struct Cell {
  int x, y;
};

int main() {
  Cell *cells;
  cudaMalloc(&cells, 32 * sizeof(Cell));
  weigh<<<1, 32>>>(cells, ops::Weight{3});
}
