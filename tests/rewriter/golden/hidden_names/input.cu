// A variable has the record's name; methods set members to what a library's function gives.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

class agent {
public:
  float x, y, speed;
  __host__ __device__ void stop() { speed = nanf("1"); }
  __host__ __device__ void drive(float s) { speed = s; }
  __host__ __device__ float ahead() const { return x + speed; }
};

__global__ void drive(agent *agents, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  agent agent = agents[i];
  if (agent.ahead() > 20)
    agents[i].stop();
  else
    agents[i].drive(agent.ahead() * 0.5f);
  agents[i].x += agent.y;
}

int main() {
  const int n = 60;
  agent host[n], *agents;
  for (int i = 0; i < n; ++i)
    host[i] = {0.5f * i, 1.0f, 2.0f};
  cudaMalloc(&agents, sizeof(host));
  cudaMemcpy(agents, host, sizeof(host), cudaMemcpyHostToDevice);
  drive<<<2, 32>>>(agents, n);
  cudaMemcpy(host, agents, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g\n", host[3].x, host[9].speed);
  cudaFree(agents);
}
