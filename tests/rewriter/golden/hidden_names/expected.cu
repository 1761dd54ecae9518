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
#include "agent_layout.h"

__global__ void drive(AgentView agents, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  agent agent = agents.load(i);
  if (agent.ahead() > 20) {
    class agent element = agents.load(i);
    element.stop();
    agents.speed(i) = element.speed;
  } else {
    class agent element = agents.load(i);
    element.drive(agent.ahead() * 0.5f);
    agents.speed(i) = element.speed;
  }
  agents.x(i) += agent.y;
}

int main() {
  const int n = 60;
  agent host[n];
  AgentView agents;
  for (int i = 0; i < n; ++i)
    host[i] = {0.5f * i, 1.0f, 2.0f};
  agentMalloc(&agents, sizeof(host));
  agentMemcpy(agents, host, sizeof(host), cudaMemcpyHostToDevice);
  drive<<<2, 32>>>(agents, n);
  agentMemcpy(host, agents, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g\n", host[3].x, host[9].speed);
  agentFree(agents);
}
