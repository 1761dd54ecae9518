// Private members behind accessors, and copy functions that are written out.
// clang-format off
#include <cstdio>
#include <cstring>

class Particle {
public:
  __host__ __device__ Particle(float x = 0, float v = 1) : x_(x), v_(v) { tag_[0] = tag_[1] = 7; }
  __host__ __device__ float x() const { return x_; }
  __host__ __device__ float energy() const { return 0.5f * v_ * v_ + tag_[1]; }
  __host__ __device__ Particle moved(float dt) const { return Particle(x_ + v_ * dt, v_); }

private:
  float x_, v_;
  short tag_[2];
};
#include "particle_layout.h"

struct Ion {
  double charge;
  float3 at;
  __host__ __device__ Ion(double c = 1) : charge(c), at{0, 0, 0} {}
  __host__ __device__ Ion(const Ion &other) : charge(other.charge), at(other.at) {}
  __host__ __device__ Ion &operator=(const Ion &other) {
    if (this != &other) {
      charge = other.charge;
      at = other.at;
    }
    return *this;
  }
};
#include "ion_layout.h"

struct Spark {
  float heat;
  int age;
  short seen[2];
  __host__ __device__ Spark(float heat = 0) : heat(heat), age(0), seen{1, 2} {}
  __host__ __device__ Spark(const Spark &other) { *this = other; }
  __host__ __device__ void operator=(const Spark &other) {
    heat = other.heat;
    age = other.age;
    for (size_t i = 0; i < 2; i++) {
      seen[i] = other.seen[i];
    }
  }
};
#include "spark_layout.h"

struct Dot {
  float heat;
  double area;
  Dot() = default;
  Dot(const Dot &other) = default;
  __host__ __device__ Dot operator=(Dot other) {
    this->heat = other.heat;
    this->area = other.area;
    return *this;
  }
};
#include "dot_layout.h"

__global__ void grow(DotView dots, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    dots.heat(i) += dots.area(i);
}

__global__ void step(ParticleView p, IonView ions, SparkView sparks, float *energy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p.store(i, p.load(i).moved(0.5f));
  if (p.load(i).x() > 20)
    p.store(i, Particle(20));
  Ion ion = ions.load(n - 1 - i);
  ion.at.x += p.load(i).x();
  ions.store(n - 1 - i, ion);
  Spark spark = sparks.load(i);
  spark.heat += ++spark.age;
  sparks.store(i, spark);
  energy[i] = p.load(i).energy() + ions.at(n - 1 - i).x + sparks.heat(i) + sparks.seen(i)[1];
}

int main() {
  const int n = 100;
  Particle host[n];
  Ion ions[n];
  Spark sparks[n];
  float energy[n];
  for (int i = 0; i < n; ++i) {
    host[i] = Particle(i, 0.25f * i);
    ions[i] = Ion(0.5 * i);
    sparks[i] = Spark(0.125f * i);
  }
  ParticleView p;
  IonView q;
  SparkView s;
  float *e;
  particleMalloc(&p, n * sizeof(Particle));
  ionMalloc(&q, n * sizeof(Ion));
  sparkMalloc(&s, n * sizeof(Spark));
  cudaMalloc(&e, sizeof(energy));
  particleMemcpy(p, host, n * sizeof(Particle), cudaMemcpyHostToDevice);
  ionMemcpy(q, ions, n * sizeof(Ion), cudaMemcpyHostToDevice);
  sparkMemcpy(s, sparks, n * sizeof(Spark), cudaMemcpyHostToDevice);
  step<<<1, 128>>>(p, q, s, e, n);
  particleMemcpy(host, p, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  cudaMemcpy(energy, e, sizeof(energy), cudaMemcpyDeviceToHost);
  Dot dots[64];
  DotView deviceDots;
  memset(static_cast<void *>(dots), 0, sizeof dots);
  dotMalloc(&deviceDots, sizeof dots);
  dotMemcpy(deviceDots, dots, sizeof dots, cudaMemcpyHostToDevice);
  grow<<<1, 64>>>(deviceDots, 64);
  dotMemcpy(dots, deviceDots, sizeof dots, cudaMemcpyDeviceToHost);
  dotFree(deviceDots);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].x() + host[i].energy() + energy[i];
  std::printf("%.9g\n", sum);
}
