// Destructors that are written out and do nothing.
#include <cstdio>

struct Vec {
  double x, y, z;
  __host__ __device__ Vec(double x = 0, double y = 0, double z = 0) : x(x), y(y), z(z) {}
  __host__ __device__ Vec(const Vec &v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ Vec &operator=(const Vec &v) {
    x = v.x;
    y = v.y;
    z = v.z;
    return *this;
  }
  __host__ __device__ Vec &operator+=(const Vec &v) {
    x += v.x;
    y += v.y;
    z += v.z;
    return *this;
  }
  __host__ __device__ ~Vec() {}
};
#include "vec_layout.h"

__host__ __device__ Vec operator*(double s, const Vec &v) { return Vec(s * v.x, s * v.y, s * v.z); }

struct Body {
  Vec at, speed;
  int steps;
  __host__ __device__ void advance(const Vec &by, double time) {
    Vec moved = time * by;
    at += moved;
    ++steps;
  }
  __host__ __device__ ~Body() {}
};
#include "body_layout.h"

__global__ void step(BodyView bodies, VecView forces, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  {
    Vec element = forces.load(i);
    element += Vec(0, 0, -9.8);
    forces.store(i, element);
  }
  {
    Body element = bodies.load(i);
    element.advance(Vec(1, 2, i), 0.5);
    bodies.at(i) = element.at;
    bodies.steps(i) = element.steps;
  }
  Body body = bodies.load(i);
  body.speed += 0.01 * forces.load(i);
  bodies.store(i, body);
}

int main() {
  const int n = 100;
  Body *host = new Body[n];
  BodyView bodies;
  VecView forces;
  for (int i = 0; i < n; ++i)
    host[i].at = Vec(i, 1, 2);
  bodyMalloc(&bodies, n * sizeof(Body));
  vecMalloc(&forces, n * sizeof(Vec));
  bodyMemcpy(bodies, host, n * sizeof(Body), cudaMemcpyHostToDevice);
  vecMemset(forces, 0, n * sizeof(Vec));
  for (int s = 0; s < 3; ++s)
    step<<<1, 128>>>(bodies, forces, n);
  bodyMemcpy(host, bodies, n * sizeof(Body), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].at.z + host[i].speed.z + host[i].steps;
  std::printf("%.9g\n", sum);
  delete[] host;
}
