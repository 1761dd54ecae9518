// Point soa
// Overloads tell what the method returns from what the view would.
struct Length {
  float value;
  __device__ float get() const { return value; }
  __device__ float get() { return -value; }
};

struct Point {
  Length length;
  float x;
  __device__ const Length *size() const { return &length; }
};

__global__ void measure(Point *points) {
  points[threadIdx.x].x = points[threadIdx.x].size()->get(); // refused: RL-R09
}

int main() {
  Point *points, host[64];
  cudaMalloc(&points, sizeof host);
  measure<<<1, 64>>>(points);
  cudaMemcpy(host, points, sizeof host, cudaMemcpyDeviceToHost);
}
