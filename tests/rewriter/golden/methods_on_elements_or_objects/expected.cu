// Methods that are given elements of an array, and objects in other memory.
#include <cstdio>

struct Body {
  float x, y, mass;
  int hits;
};
#include "body_layout.h"

class Solver {
public:
  __host__ __device__ explicit Solver(float dt) : dt_(dt) {}

  /// Moves one.
  __host__ __device__ void advance(BodyView b) const; // is defined below
  __host__ __device__ void advance(Body *b) const;
  __host__ __device__ void advance(float *x) const { *x += dt_; }

  static __device__ float speed(ConstBodyView b) { return b.x() * factor(b); }

  static __device__ float speed(const Body *b) { return b->x * factor(b); }

  __device__ void run(BodyView bodies, int i) {
    Body own = bodies.load(i);
    advance(&own);
    this->advance(bodies + i);
    advance(&own.y);
    bodies.y(i) += speed(&own) + Solver::speed(bodies + i);
    swapped(&own, bodies + i);
    swapped(bodies + i, &own);
  }

private:
  static __device__ float factor(ConstBodyView b);
  static __device__ float factor(const Body *b);

  __device__ void swapped(Body *a, BodyView b) const {
    const float x = a->x;
    a->x = b.x();
    b.x() = x;
  }

  __device__ void swapped(BodyView a, Body *b) const {
    const float x = a.x();
    a.x() = b->x;
    b->x = x;
  }

  float dt_;
};

__host__ __device__
void Solver::advance(BodyView b) const {
  b.x() += dt_;
  ++b.hits();
}

__host__ __device__
void Solver::advance(Body *b) const {
  b->x += dt_;
  ++b->hits;
}

__device__ inline float Solver::factor(ConstBodyView b) { return b.mass(); }

__device__ inline float Solver::factor(const Body *b) { return b->mass; }

__global__ void step(BodyView bodies) {
  Solver solver(0.5f);
  solver.run(bodies, blockIdx.x * blockDim.x + threadIdx.x);
}

int main() {
  const int n = 128;
  Body host[n];
  BodyView bodies;
  for (int i = 0; i < n; ++i)
    host[i] = {i * 0.5f, 1.0f - i, 0.25f, i};
  Solver(0.25f).advance(&host[3]);
  bodyMalloc(&bodies, sizeof(host));
  bodyMemcpy(bodies, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<n / 32, 32>>>(bodies);
  bodyMemcpy(host, bodies, sizeof(host), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].x + host[i].hits;
  std::printf("%g\n", sum);
  bodyFree(bodies);
}
