// Pointers without a type, which are cast to one.
#include <cstdio>

#include "float3_layout.h"

struct Body {
  float x, y, z, mass;
};
#include "body_layout.h"

struct Buffers {
  BodyView bodies;
  Float3View forces = nullptr;
  int count;
};

static BodyView others; // of the same type

__global__ void pull(ConstBodyView bodies, Float3View forces, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  forces.x(i) = bodies.mass(i) * (bodies.x(0) - bodies.x(i));
  forces.y(i) = bodies.mass(i);
}

__global__ void move(BodyView bodies, ConstFloat3View forces, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    bodies.x(i) += forces.x(i);
}

int main() {
  Buffers buffers;
  buffers.count = 200;
  Body host[200];
  for (int i = 0; i < 200; ++i)
    host[i] = {1.f * i, 2, 3, 0.5f};
  bodyMalloc(&buffers.bodies, buffers.count * sizeof(Body));
  float3Malloc(&buffers.forces, buffers.count * sizeof(float3));
  bodyMalloc(&others, buffers.count * sizeof(Body));
  bodyMemcpy(buffers.bodies, host, sizeof(host), cudaMemcpyHostToDevice);
  bodyMemcpy(others, buffers.bodies, sizeof(host), cudaMemcpyDeviceToDevice);
  if (!others)
    return 1;
  pull<<<2, 128>>>(ConstBodyView(buffers.bodies), buffers.forces, 200);
  move<<<2, 128>>>(others, buffers.forces, buffers.count);
  void *taken; // by the host
  taken = host;
  bodyMemcpy((Body *)taken, others, sizeof(host), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", host[3].x, host[150].x);
  bodyFree(buffers.bodies);
  float3Free(buffers.forces);
  bodyFree(others);
}
