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

__global__ void grow(Dot *dots, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    dots[i].heat += dots[i].area;
}

__global__ void step(Particle *p, Ion *ions, Spark *sparks, float *energy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i] = p[i].moved(0.5f);
  if (p[i].x() > 20)
    p[i] = Particle(20);
  Ion ion = ions[n - 1 - i];
  ion.at.x += p[i].x();
  ions[n - 1 - i] = ion;
  Spark spark = sparks[i];
  spark.heat += ++spark.age;
  sparks[i] = spark;
  energy[i] = p[i].energy() + ions[n - 1 - i].at.x + sparks[i].heat + sparks[i].seen[1];
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
  Particle *p;
  Ion *q;
  Spark *s;
  float *e;
  cudaMalloc(&p, n * sizeof(Particle));
  cudaMalloc(&q, n * sizeof(Ion));
  cudaMalloc(&s, n * sizeof(Spark));
  cudaMalloc(&e, sizeof(energy));
  cudaMemcpy(p, host, n * sizeof(Particle), cudaMemcpyHostToDevice);
  cudaMemcpy(q, ions, n * sizeof(Ion), cudaMemcpyHostToDevice);
  cudaMemcpy(s, sparks, n * sizeof(Spark), cudaMemcpyHostToDevice);
  step<<<1, 128>>>(p, q, s, e, n);
  cudaMemcpy(host, p, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  cudaMemcpy(energy, e, sizeof(energy), cudaMemcpyDeviceToHost);
  Dot dots[64], *deviceDots;
  memset(static_cast<void *>(dots), 0, sizeof dots);
  cudaMalloc(&deviceDots, sizeof dots);
  cudaMemcpy(deviceDots, dots, sizeof dots, cudaMemcpyHostToDevice);
  grow<<<1, 64>>>(deviceDots, 64);
  cudaMemcpy(dots, deviceDots, sizeof dots, cudaMemcpyDeviceToHost);
  cudaFree(deviceDots);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].x() + host[i].energy() + energy[i];
  std::printf("%.9g\n", sum);
}
