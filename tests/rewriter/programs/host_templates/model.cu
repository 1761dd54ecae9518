#include "model.h"

__global__ void step(Cell *cells, const Parameters *parameters, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  cells[i].current = (parameters[i].limit - cells[i].charge) / parameters[i].resistance;
  cells[i].charge += cells[i].current / parameters[i].capacity;
}

Model::Model(int count) : count_(count) {
  std::vector<Cell> cells(count);
  std::vector<Parameters> parameters(count);
  for (int i = 0; i < count; ++i) {
    cells[i] = {0.25f * (i % 5), 0};
    parameters[i] = {8.0f + i % 3, 2.0f, 4.0f};
  }
  cells_.upload(cells);
  parameters_.upload(parameters);
}

void Model::run(int steps) {
  for (int i = 0; i < steps; ++i)
    step<<<(count_ + 63) / 64, 64>>>(cells_.get(), parameters_.get(), count_);
}
