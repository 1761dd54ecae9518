// Members of type std::pair, which device code names by `first` and `second`.
#include <cstdio>
#include <utility>
#include <vector>

struct Ship {
  std::pair<float, float> position;
  std::pair<int, unsigned char> berth;
  float speed;
};

__global__ void sail(Ship *ships, const Ship *leaders, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Ship *own = &ships[i];
  const Ship leader = leaders[i % 4];
  own->position.first += leader.position.first * dt;
  own->position.second -= (leaders[i % 4].position.second + own->speed) * dt;
  if (own->position.first > 3)
    (ships[i].berth).first = leader.berth.first + own->berth.second;
}

int main() {
  std::vector<Ship> fleet(100);
  for (int i = 0; i < 100; ++i)
    fleet[i] = {{0.5f * i, 2.0f}, {i, static_cast<unsigned char>(i)}, 0.25f * i};
  Ship *ships, *leaders;
  cudaMalloc(&ships, fleet.size() * sizeof(Ship));
  cudaMalloc(&leaders, 4 * sizeof(Ship));
  cudaMemset(leaders, 0, 4 * sizeof(Ship));
  cudaMemcpy(ships, fleet.data(), fleet.size() * sizeof(Ship), cudaMemcpyHostToDevice);
  cudaMemcpy(leaders, ships, 4 * sizeof(Ship), cudaMemcpyDeviceToDevice);
  sail<<<4, 32>>>(ships, leaders, 100, 0.125f);
  cudaMemcpy(fleet.data(), ships, fleet.size() * sizeof(Ship), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (const Ship &ship : fleet)
    sum += ship.position.first + ship.position.second + ship.berth.first;
  std::printf("%g\n", sum);
  cudaFree(ships);
  cudaFree(leaders);
}
