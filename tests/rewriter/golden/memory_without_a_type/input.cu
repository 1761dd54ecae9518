// Pointers without a type, which are cast to one.
#include <cstdio>

struct Body {
  float x, y, z, mass;
};

struct Buffers {
  void *bodies;
  void *forces = nullptr;
  int count;
};

static void *others; // of the same type

__global__ void pull(const Body *bodies, float3 *forces, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  forces[i].x = bodies[i].mass * (bodies[0].x - bodies[i].x);
  forces[i].y = bodies[i].mass;
}

__global__ void move(Body *bodies, const float3 *forces, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    bodies[i].x += forces[i].x;
}

int main() {
  Buffers buffers;
  buffers.count = 200;
  Body host[200];
  for (int i = 0; i < 200; ++i)
    host[i] = {1.f * i, 2, 3, 0.5f};
  cudaMalloc(&buffers.bodies, buffers.count * sizeof(Body));
  cudaMalloc((void **)&buffers.forces, buffers.count * sizeof(float3));
  cudaMalloc(&others, buffers.count * sizeof(Body));
  cudaMemcpy(buffers.bodies, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(others, buffers.bodies, sizeof(host), cudaMemcpyDeviceToDevice);
  if (!others)
    return 1;
  pull<<<2, 128>>>((const Body *)buffers.bodies, static_cast<float3 *>(buffers.forces), 200);
  move<<<2, 128>>>(reinterpret_cast<Body *>(others), (float3 *)buffers.forces, buffers.count);
  void *taken; // by the host
  taken = host;
  cudaMemcpy(taken, others, sizeof(host), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", host[3].x, host[150].x);
  cudaFree(buffers.bodies);
  cudaFree(buffers.forces);
  cudaFree(others);
}
