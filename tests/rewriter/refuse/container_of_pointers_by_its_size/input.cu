// R soa
#include <array>
#include <vector>

struct R {
  float x, y;
};

__global__ void k(R *r) { r[0].x = 1; }

__global__ void first(R **table) { table[0][0].x = 1; }

int main() {
  std::array<R *, 2> parts;
  cudaMalloc(&parts[0], 64 * sizeof(R));
  R **table;
  cudaMalloc(&table, 2 * sizeof(R *));
  cudaMemcpy(table, parts.data(), sizeof(parts), cudaMemcpyHostToDevice); // refused: RL-R05 RL-R10
  first<<<1, 1>>>(table);
}
