// Helpers and kernels that are templates over the record.
// clang-format off
#include <cstdio>
#include <vector>

template <class T> T *upload(const std::vector<T> &values) {
  T *device = nullptr;
  cudaMalloc(&device, values.size() * sizeof(T));
  cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

template <typename T> void download(std::vector<T> &values, const T *device) {
  cudaMemcpy(values.data(), device, values.size() * sizeof(T), cudaMemcpyDeviceToHost);
}

struct Particle {
  float x, v;
  int id;
};

template <typename T, int kSteps> __global__ void advance(T *items, const float *force, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < kSteps; ++k) {
    items[i].v += force[i];
    items[i].x += items[i].v;
  }
  T copy = items[i];
  copy.id += kSteps;
  items[i] = copy;
}

template <typename T> __global__ void scale(T *values, T factor, int n) {
  int i = threadIdx.x;
  if (i < n)
    values[i] = values[i] * factor;
}

int main() {
  const int n = 100;
  std::vector<Particle> particles(n);
  std::vector<float> force(n);
  for (int i = 0; i < n; ++i) {
    particles[i] = {0.5f * i, 1, i};
    force[i] = 0.25f * (i % 5);
  }
  Particle *p = upload(particles);
  float *f = upload(force);
  scale<<<1, 128>>>(f, 2.0f, n);
  advance<Particle, 3><<<1, 128>>>(p, f, n);
  download(particles, p);
  download(force, f);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += particles[i].x + particles[i].v + particles[i].id + force[i];
  std::printf("%.9g\n", sum);
  cudaFree(p);
  cudaFree(f);
}
