// Arrays of CUDA's vector types, with operators as helper_math.h has them.
// clang-format off
#include <cstdio>
#include <vector>

#include <cuComplex.h>

#include "float2_layout.h"
#include "float3_aligned_layout.h"
#include "float3_soa_layout.h"
#include "float4_layout.h"

inline __host__ __device__ float3 operator+(float3 a, float3 b) {
  return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
inline __host__ __device__ float3 operator-(const float3 &a, const float3 &b) {
  return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
inline __host__ __device__ float3 operator*(float3 a, float s) {
  return make_float3(a.x * s, a.y * s, a.z * s);
}
inline __host__ __device__ void operator+=(float3 &a, float3 b) {
  a.x += b.x;
  a.y += b.y;
  a.z += b.z;
}
inline __host__ __device__ float3 &operator*=(float3 &a, const float3 &b) {
  a.x *= b.x;
  a.y *= b.y;
  a.z *= b.z;
  return a;
}
inline __host__ __device__ float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

struct System {
  Float3SoaView position;
  Float3AlignedView velocity;
  ConstFloat4View charge;
  int count;
};

__device__ void clampSpeed(float3 &v, float limit) {
  const float speed = sqrtf(dot(v, v));
  if (speed > limit)
    v = v * (limit / speed);
}

__global__ void push(System s, const float3 *__restrict__ force, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= s.count)
    return;
  float4 q = s.charge.load(i);
  {
    float3 element = s.velocity.load(i);
    element += force[i] * (dt * q.w);
    s.velocity.store(i, element);
  }
  if (q.x > 0.5f) {
    float3 element = s.velocity.load(i);
    element *= force[i];
    s.velocity.store(i, element);
  }
  {
    float3 element = s.velocity.load(i);
    clampSpeed(element, 3.0f);
    s.velocity.store(i, element);
  }
  s.position.store(i, s.position.load(i) + s.velocity.load(i) * dt);
  if (s.position.z(i) < 0)
    s.position.z(i) = -s.position.z(i);
}

__global__ void shift(Float3SoaView p, const float3 *from, int n) {
  __shared__ float3 tile[64];
  const int t = threadIdx.x;
  for (int i = t; i < n; i += 64) {
    tile[t] = from[i];
    Float3SoaView own = p + i;
    own.x() += tile[t].y;
    p.store(i, p.load(i) - tile[t]);
  }
}

__global__ void rotate(Float2View wave, int n) {
  int i = threadIdx.x;
  if (i < n) {
    cuComplex w = wave.load(i);
    wave.store(i, cuCmulf(w, make_cuComplex(0.0f, 1.0f)));
  }
}

int main() {
  const int n = 200;
  std::vector<float3> position(n), velocity(n), force(n);
  std::vector<float4> charge(n);
  for (int i = 0; i < n; ++i) {
    position[i] = make_float3(i, 0.5f * i, 1 - i);
    velocity[i] = make_float3(1, i % 3, 0.25f * i);
    force[i] = make_float3(0.1f * i, 2, -1);
    charge[i] = make_float4(i % 2, 0, 0, 0.01f * i);
  }
  System s;
  s.count = n;
  float3 *deviceForce;
  Float4View deviceCharge;
  float3SoaMalloc(&s.position, n * sizeof(float3));
  float3AlignedMalloc(&s.velocity, n * sizeof(float3));
  cudaMalloc((void **)&deviceForce, sizeof(float3) * n);
  float4Malloc(&deviceCharge, n * sizeof(float4));
  s.charge = deviceCharge;
  float3SoaMemcpy(s.position, position.data(), n * sizeof(float3), cudaMemcpyHostToDevice);
  float3AlignedMemcpy(s.velocity, velocity.data(), n * sizeof(float3), cudaMemcpyHostToDevice);
  cudaMemcpy(deviceForce, force.data(), n * sizeof(float3), cudaMemcpyHostToDevice);
  float4Memcpy(deviceCharge, charge.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
  push<<<(n + 63) / 64, 64>>>(s, deviceForce, 0.5f);
  shift<<<1, 64>>>(s.position, deviceForce, n);
  float3SoaMemcpy(position.data(), s.position, n * sizeof(float3), cudaMemcpyDeviceToHost);
  float3AlignedMemcpy(velocity.data(), s.velocity, n * sizeof(float3), cudaMemcpyDeviceToHost);

  cuComplex wave[64];
  Float2View deviceWave;
  for (int i = 0; i < 64; ++i)
    wave[i] = make_cuComplex(i, 2 * i);
  float2Malloc(&deviceWave, sizeof(wave));
  float2Memcpy(deviceWave, wave, sizeof(wave), cudaMemcpyHostToDevice);
  rotate<<<1, 64>>>(deviceWave, 64);
  float2Memcpy(wave, deviceWave, sizeof(wave), cudaMemcpyDeviceToHost);

  double sum = wave[3].x + wave[63].y;
  for (int i = 0; i < n; ++i)
    sum += position[i].x + position[i].y + position[i].z + velocity[i].x + velocity[i].y;
  std::printf("%.9g\n", sum);
  float3SoaFree(s.position);
  float3AlignedFree(s.velocity);
  cudaFree(deviceForce);
  float4Free(deviceCharge);
  float2Free(deviceWave);
}
