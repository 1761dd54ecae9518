// Members of type std::pair, which device code names by `first` and `second`.
#include <cstdio>
#include <utility>
#include <vector>

struct Ship {
  std::pair<float, float> position;
  std::pair<int, unsigned char> berth;
  float speed;
};
#include "ship_layout.h"

__global__ void sail(ShipView ships, ConstShipView leaders, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  ShipView own = ships + i;
  const Ship leader = leaders.load(i % 4);
  own.position().first += leader.position.first * dt;
  own.position().second -= (leaders.position(i % 4).second + own.speed()) * dt;
  if (own.position().first > 3)
    (ships.berth(i)).first = leader.berth.first + own.berth().second;
}

int main() {
  std::vector<Ship> fleet(100);
  for (int i = 0; i < 100; ++i)
    fleet[i] = {{0.5f * i, 2.0f}, {i, static_cast<unsigned char>(i)}, 0.25f * i};
  ShipView ships, leaders;
  shipMalloc(&ships, fleet.size() * sizeof(Ship));
  shipMalloc(&leaders, 4 * sizeof(Ship));
  shipMemset(leaders, 0, 4 * sizeof(Ship));
  shipMemcpy(ships, fleet.data(), fleet.size() * sizeof(Ship), cudaMemcpyHostToDevice);
  shipMemcpy(leaders, ships, 4 * sizeof(Ship), cudaMemcpyDeviceToDevice);
  sail<<<4, 32>>>(ships, leaders, 100, 0.125f);
  shipMemcpy(fleet.data(), ships, fleet.size() * sizeof(Ship), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (const Ship &ship : fleet)
    sum += ship.position.first + ship.position.second + ship.berth.first;
  std::printf("%g\n", sum);
  shipFree(ships);
  shipFree(leaders);
}
