// Point soa
// An assignment that does something for the object itself alone.
struct Point {
  float x, y;
  __host__ __device__ Point &operator=(const Point &other) { // refused: RL-R01
    if (this == &other) {
      x = other.x;
      y = other.y;
    }
    return *this;
  }
};

__global__ void reset(Point *points) {
  Point origin;
  origin.x = origin.y = 0;
  points[threadIdx.x] = origin;
}

int main() {
  Point *points, host[64];
  cudaMalloc(&points, sizeof host);
  reset<<<1, 64>>>(points);
  cudaMemcpy(host, points, sizeof host, cudaMemcpyDeviceToHost);
}
