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

__device__ Particle at(const Particle *from, int i) { return from[i]; }

struct Walker {
  __device__ float operator()(const Particle *p, int i) const { return p[i].x; }
};

__global__ void step(Particle *p, const Particle *__restrict__ old, float *out, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  auto byName = [p](int j) { return p[j].x; };
  auto renamed = [q = p + i](int j) { return q[j].y; };
  auto taking = [](const Particle *q, const Particle &r) { return q->weight + r.x; };
  out[i] = __ldg(&old[i].x) + 2 * __ldg(&(old + i)->kind) + old[i][1];
  out[i] += byName(i) + renamed(0) + taking(old + i, old[0]) + Walker()(p, i) + old[i].norm();
  Particle *own = p;
  own[i] = at(old, n - 1 - i);
}

int main() {
  const int n = 60;
  Particle rows[6][10];
  for (int i = 0; i < n; ++i)
    rows[i / 10][i % 10] = Particle(0.5f * i, 1.0f + i, i % 7);
  Particle *a, *b;
  float *out;
  cudaMalloc(&a, sizeof(rows));
  cudaMalloc(&b, sizeof(rows));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(a, rows, sizeof(rows), cudaMemcpyHostToDevice);
  cudaMemset(b, 0, n * sizeof(Particle));
  cudaMemcpy(b, a, 20 * sizeof(Particle) + 8, cudaMemcpyDeviceToDevice);
  cudaMemcpy(b + 30, rows[1], 3 * sizeof(Particle) + 4, cudaMemcpyHostToDevice);
  cudaMemset(b + 40, 0x3f, sizeof(Particle) + 12);
  step<<<1, 64>>>(a, b, out, n);
  float values[n];
  cudaMemcpy(values, out, sizeof(values), cudaMemcpyDeviceToHost);
  cudaMemcpy(rows, a, 50 * sizeof(Particle) + 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(rows[5], b, 4 * sizeof(Particle), cudaMemcpyDeviceToHost);
  cudaMemcpy(&rows[4], b + 5, 4 * sizeof(Particle), cudaMemcpyDeviceToHost);
  cudaMemcpy(rows + 3, b + 9, 4 * sizeof(Particle), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += values[i] + rows[i / 10][i % 10].x + rows[i / 10][i % 10].kind;
  std::printf("%.9g\n", sum);
}
