// Methods that are given elements of an array, and objects in other memory.
#include <cstdio>

struct Body {
  float x, y, mass;
  int hits;
};

class Solver {
public:
  __host__ __device__ explicit Solver(float dt) : dt_(dt) {}

  /// Moves one.
  __host__ __device__ void advance(Body *b) const; // is defined below
  __host__ __device__ void advance(float *x) const { *x += dt_; }

  static __device__ float speed(const Body *b) { return b->x * factor(b); }

  __device__ void run(Body *bodies, int i) {
    Body own = bodies[i];
    advance(&own);
    this->advance(bodies + i);
    advance(&own.y);
    bodies[i].y += speed(&own) + Solver::speed(&bodies[i]);
    swapped(&own, &bodies[i]);
    swapped(&bodies[i], &own);
  }

private:
  static __device__ float factor(const Body *b);

  __device__ void swapped(Body *a, Body *b) const {
    const float x = a->x;
    a->x = b->x;
    b->x = x;
  }

  float dt_;
};

__host__ __device__
void Solver::advance(Body *b) const {
  b->x += dt_;
  ++b->hits;
}

__device__ inline float Solver::factor(const Body *b) { return b->mass; }

__global__ void step(Body *bodies) {
  Solver solver(0.5f);
  solver.run(bodies, blockIdx.x * blockDim.x + threadIdx.x);
}

int main() {
  const int n = 128;
  Body host[n], *bodies;
  for (int i = 0; i < n; ++i)
    host[i] = {i * 0.5f, 1.0f - i, 0.25f, i};
  Solver(0.25f).advance(&host[3]);
  cudaMalloc(&bodies, sizeof(host));
  cudaMemcpy(bodies, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<n / 32, 32>>>(bodies);
  cudaMemcpy(host, bodies, sizeof(host), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].x + host[i].hits;
  std::printf("%g\n", sum);
  cudaFree(bodies);
}
