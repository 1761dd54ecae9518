// Cell soa
// What a lambda copies is the element as it was: a view would show it as it is.
struct Cell {
  int x, y;
};

__global__ void step(Cell *cells, int *out) {
  auto &own = cells[threadIdx.x]; // refused: RL-R10
  auto before = [=] { return own.x; };
  own.x = 7;
  out[threadIdx.x] = before();
}

__device__ int add(Cell &cell) { // refused: RL-R10
  const auto before = [cell] { return cell.x; };
  cell.x += 1;
  return before();
}

__global__ void count(Cell *cells, int *out) { out[threadIdx.x] = add(cells[threadIdx.x]); }

int main() {
  Cell *cells;
  int *out;
  cudaMalloc(&cells, 32 * sizeof(Cell));
  cudaMalloc(&out, 32 * sizeof(int));
  step<<<1, 32>>>(cells, out);
  count<<<1, 32>>>(cells, out);
}
