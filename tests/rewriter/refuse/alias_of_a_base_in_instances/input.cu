// Cell soa
// An alias whose class depends on the arguments of the class around it.
#include <cstdio>

struct Cell {
  float heat;
  float flow;
};

template <typename T>
struct Holder {
  using Item = T;
};

template <typename T>
struct Grid {
  using Base = Holder<T>;
  void run(int n);
};

template <typename T>
__global__ void cool(T *cells, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells[i] = T{};
}

template <typename T>
void Grid<T>::run(int n)
{
  typename Base::Item *cells; // refused: RL-R10
  cudaMalloc(&cells, n * sizeof(T));
  cool<<<1, 64>>>(cells, n);
  cudaFree(cells);
}

int main()
{
  Grid<Cell>().run(64);
  Grid<double>().run(64);
  return 0;
}
