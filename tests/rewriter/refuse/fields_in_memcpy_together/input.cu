// Point soa
// memcpy takes a field and its neighbours.
#include <cstring>
#include <vector>

struct Point {
  float x, y, z;
  int id;
};

__global__ void place(Point *points, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float where[3] = {1.0f * i, 2, 3};
  memcpy(&points[i].x, where, sizeof where); // refused: RL-R04
  points[i].id = i;
}

int main() {
  std::vector<Point> host(64);
  Point *points = nullptr;
  cudaMalloc(&points, 64 * sizeof(Point));
  place<<<1, 64>>>(points, 64);
  cudaMemcpy(host.data(), points, 64 * sizeof(Point), cudaMemcpyDeviceToHost);
  cudaFree(points);
}
