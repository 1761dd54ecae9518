// Point soa
// A lambda that becomes the pointer reaches beyond the field.
struct Point {
  float x, y;
};

using Change = void (*)(float *);

__device__ void one(float *field) { *field += 1; }

__global__ void change(Point *points) {
  Change to = one;
  if (threadIdx.x % 2 == 1)
    to = [](float *field) { field[1] += 5; };
  to(&points[threadIdx.x].x); // refused: RL-R04
}

int main() {
  Point *points, host[64];
  cudaMalloc(&points, sizeof host);
  change<<<1, 64>>>(points);
  cudaMemcpy(host, points, sizeof host, cudaMemcpyDeviceToHost);
}
