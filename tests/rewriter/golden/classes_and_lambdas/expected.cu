// Records with constructors and methods, lambdas, read-only loads, rows of records, and copies that
// end inside a record.
#include <cstdio>

struct Particle {
  float x, y;
  int kind;
  float weight;
  Particle(float x, float y, int kind) : x(x), y(y), kind(kind), weight(1) {}
  Particle() : x(0), y(0), kind(0), weight(0) {} // not for device code
  __host__ __device__ float norm() const { return x * x + part(y); }
  __host__ __device__ float part(float v) const { return v * this->weight; }
  __host__ __device__ float operator[](int i) { return i ? y + 100 : x + 100; }
  __host__ __device__ float operator[](int i) const { return i ? y : x; }
};
#include "particle_layout.h"

__device__ Particle at(ConstParticleView from, int i) { return from.load(i); }

struct Walker {
  __device__ float operator()(ConstParticleView p, int i) const { return p.x(i); }
};

__global__ void step(ParticleView p, ConstParticleView old, float *out, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  auto byName = [p](int j) { return p.x(j); };
  auto renamed = [q = p + i](int j) { return q.y(j); };
  auto taking = [](ConstParticleView q, const Particle &r) { return q.weight() + r.x; };
  out[i] = old.x(i) + 2 * (old + i).kind() + old.load(i)[1];
  out[i] += byName(i) + renamed(0) + taking(old + i, old.load(0)) + Walker()(p, i) + old.load(i).norm();
  ParticleView own = p;
  own.store(i, at(old, n - 1 - i));
}

int main() {
  const int n = 60;
  Particle rows[6][10];
  for (int i = 0; i < n; ++i)
    rows[i / 10][i % 10] = Particle(0.5f * i, 1.0f + i, i % 7);
  ParticleView a, b;
  float *out;
  particleMalloc(&a, sizeof(rows));
  particleMalloc(&b, sizeof(rows));
  cudaMalloc(&out, n * sizeof(float));
  particleMemcpy(a, (Particle *)rows, sizeof(rows), cudaMemcpyHostToDevice);
  particleMemset(b, 0, n * sizeof(Particle));
  particleMemcpy(b, a, 20 * sizeof(Particle) + 8, cudaMemcpyDeviceToDevice);
  particleMemcpy(b + 30, rows[1], 3 * sizeof(Particle) + 4, cudaMemcpyHostToDevice);
  particleMemset(b + 40, 0x3f, sizeof(Particle) + 12);
  step<<<1, 64>>>(a, b, out, n);
  float values[n];
  cudaMemcpy(values, out, sizeof(values), cudaMemcpyDeviceToHost);
  particleMemcpy((Particle *)rows, a, 50 * sizeof(Particle) + 4, cudaMemcpyDeviceToHost);
  particleMemcpy(rows[5], b, 4 * sizeof(Particle), cudaMemcpyDeviceToHost);
  particleMemcpy((Particle *)&rows[4], b + 5, 4 * sizeof(Particle), cudaMemcpyDeviceToHost);
  particleMemcpy((Particle *)(rows + 3), b + 9, 4 * sizeof(Particle), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += values[i] + rows[i / 10][i % 10].x + rows[i / 10][i % 10].kind;
  std::printf("%.9g\n", sum);
}
