// Point soa
// A copy constructor hands on what counts its calls.
__device__ int copies;
__host__ __device__ inline int count() {
#ifdef __CUDA_ARCH__
  return ++copies;
#else
  return 0;
#endif
}

struct Point {
  float x, y;
  Point() = default;
  __host__ __device__ Point(float x, float y, int) : x(x), y(y) {}
  __host__ __device__ Point(const Point &other) : Point(other.x, other.y, count()) {} // refused: RL-R01
};

__global__ void turn(Point *points) {
  const Point copy = points[threadIdx.x];
  points[threadIdx.x].y = -copy.x;
}

int main() {
  Point *points, host[64];
  cudaMalloc(&points, sizeof host);
  turn<<<1, 64>>>(points);
  cudaMemcpy(host, points, sizeof host, cudaMemcpyDeviceToHost);
}
