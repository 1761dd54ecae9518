// Copy functions that copy a base class, and constructors that hand the members on to another one.
#include <cstdio>
#include <vector>

struct Point {
  double x, y, z;
  __host__ __device__ Point(double x = 0, double y = 0, double z = 0) : x(x), y(y), z(z) {}
  __host__ __device__ Point(const Point &other) : Point(other.x, other.y, other.z) {}
  __host__ __device__ Point &operator=(const Point &other) {
    x = other.x;
    y = other.y;
    z = other.z;
    return *this;
  }
};

struct Body : Point {
  double mass;
  int id;
  __host__ __device__ Body() : mass(0), id(0) {}
  __host__ __device__ Body(const Body &other) : Point(other), mass(other.mass), id(other.id) {}
  __host__ __device__ Body &operator=(const Body &other) {
    Point::operator=(other);
    mass = other.mass;
    id = other.id;
    return *this;
  }
};
#include "body_layout.h"

__global__ void fall(BodyView bodies, int n, double dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Body body = bodies.load(i);
  body.z -= dt * body.mass;
  bodies.store(i, body);
}

int main() {
  const int n = 300;
  std::vector<Body> host(n);
  for (int i = 0; i < n; ++i) {
    host[i].x = i;
    host[i].z = 2 * i;
    host[i].mass = 1 + i % 3;
    host[i].id = i;
  }
  BodyView bodies = nullptr;
  bodyMalloc(&bodies, n * sizeof(Body));
  bodyMemcpy(bodies, host.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
  fall<<<(n + 127) / 128, 128>>>(bodies, n, 0.5);
  bodyMemcpy(host.data(), bodies, n * sizeof(Body), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const Body &body : host)
    sum += body.x + body.z + body.id;
  std::printf("%f\n", sum);
  bodyFree(bodies);
}
