// Templates that are given a kernel as a pointer to a function, pass it on to each other or to
// CUDA, and launch it keep their text.
// clang-format off
#include <cstdio>
#include <utility>

struct Policy {
  int block = 0, grid = 0;
};

template <class Kernel> cudaError_t configure(Policy &policy, Kernel kernel) {
  cudaFuncAttributes attributes;
  const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
  if (policy.block == 0)
    policy.block = 64;
  return status;
}

template <class... Arguments>
void launch(const Policy &asked, void (*kernel)(Arguments...), Arguments... arguments) {
  Policy policy = asked;
  if (configure(policy, kernel) == cudaSuccess)
    kernel<<<policy.grid, policy.block>>>(arguments...);
}

template <class... Arguments> void launch(void (*kernel)(Arguments... arguments), Arguments... arguments) {
  Policy policy;
  policy.grid = 8;
  launch(policy, kernel, arguments...);
}

template <class... Parameters, class... Arguments>
cudaError_t forward(void (*kernel)(Parameters...), int grid, Arguments &&...arguments) {
  kernel<<<grid, 64>>>(std::forward<Arguments>(arguments)...);
  return cudaGetLastError();
}

struct Body {
  float x, y, mass;
  int hits;
};

__global__ void pull(Body *to, const Body *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i].x += from[n - 1 - i].mass * from[i].y;
}

__global__ void hit(Body *bodies, int n, float far) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && bodies[i].x > far)
    bodies[i].hits++;
}

template <int Times> __global__ void grow(Body *bodies, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bodies[i].mass *= Times;
}

void step(Body *to, const Body *from, int n) {
  launch(pull, to, from, n);
  Policy policy;
  policy.grid = (n + 31) / 32;
  policy.block = 32;
  launch(policy, pull, to, from, n);
}

int main() {
  const int n = 300;
  Body host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {0.5f * i, 1.0f + i, 2.0f, i % 3};
  Body *bodies, *others;
  cudaMalloc(&bodies, sizeof(host));
  cudaMalloc(&others, sizeof(host));
  cudaMemcpy(bodies, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(others, host, sizeof(host), cudaMemcpyHostToDevice);
  launch(grow<3>, others, n);
  step(bodies, others, n);
  if (forward(hit, 5, bodies, n, 100.0f) != cudaSuccess)
    return 1;
  cudaMemcpy(host, bodies, sizeof(host), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].x * host[i].hits;
  std::printf("%.17g\n", sum);
}
