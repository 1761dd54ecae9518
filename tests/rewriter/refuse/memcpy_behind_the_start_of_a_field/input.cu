// Point soa
// As many bytes as the field has, from its second element on; and so many as is not known.
#include <cstring>

struct Point {
  float at[3];
  float mass;
};

__global__ void shift(Point *points, int n) {
  float part[3];
  memcpy(part, points[threadIdx.x].at + 1, sizeof part); // refused: RL-R04
  memcpy(part, &points[threadIdx.x].mass, n * sizeof(float)); // refused: RL-R04
  points[threadIdx.x].mass = part[2];
}

int main() {
  Point *points, host[64];
  cudaMalloc(&points, sizeof host);
  shift<<<1, 64>>>(points, 1);
  cudaMemcpy(host, points, sizeof host, cudaMemcpyDeviceToHost);
}
