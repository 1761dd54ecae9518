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

__global__ void step(Body *bodies, Vec *forces, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  forces[i] += Vec(0, 0, -9.8);
  bodies[i].advance(Vec(1, 2, i), 0.5);
  Body body = bodies[i];
  body.speed += 0.01 * forces[i];
  bodies[i] = body;
}

int main() {
  const int n = 100;
  Body *host = new Body[n], *bodies;
  Vec *forces;
  for (int i = 0; i < n; ++i)
    host[i].at = Vec(i, 1, 2);
  cudaMalloc(&bodies, n * sizeof(Body));
  cudaMalloc(&forces, n * sizeof(Vec));
  cudaMemcpy(bodies, host, n * sizeof(Body), cudaMemcpyHostToDevice);
  cudaMemset(forces, 0, n * sizeof(Vec));
  for (int s = 0; s < 3; ++s)
    step<<<1, 128>>>(bodies, forces, n);
  cudaMemcpy(host, bodies, n * sizeof(Body), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].at.z + host[i].speed.z + host[i].steps;
  std::printf("%.9g\n", sum);
  delete[] host;
}
