// SPDX-License-Identifier: Apache-2.0
// The blast of ../cfd.cu over structures of arrays: value m of cell i lies at [m * count + i].
// See ../README.md.
#include "../mesh.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

const float kGamma = 1.4f;
const float kCourant = 0.8f;
const int kStages = 3; // of the Runge-Kutta scheme

// Values of a cell's state and of its geometry, in the order of their arrays.
enum { kDensity, kMx, kMy, kMz, kEnergy, kStateValues };
enum { kVolume, kNormals, kGeometryValues = kNormals + 12 }; // normals: face by face, x y z

__host__ __device__ inline float pressureOf(float density, float mx, float my, float mz,
                                            float energy) {
  return (kGamma - 1.0f) * (energy - 0.5f * (mx * mx + my * my + mz * mz) / density);
}

// The largest rate, over all cells, at which waves sweep a cell. Rates are positive, so that their
// bits order as integers do.
__global__ void findFastest(const float *geometry, const float *states, int count, int *fastest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float rate = 0.0f;
  if (i < count) {
    float density = states[kDensity * count + i];
    float mx = states[kMx * count + i], my = states[kMy * count + i], mz = states[kMz * count + i];
    float sound =
        sqrtf(kGamma * pressureOf(density, mx, my, mz, states[kEnergy * count + i]) / density);
    for (int face = 0; face < 4; ++face) {
      float nx = geometry[(kNormals + 3 * face) * count + i],
            ny = geometry[(kNormals + 3 * face + 1) * count + i],
            nz = geometry[(kNormals + 3 * face + 2) * count + i];
      float area = sqrtf(nx * nx + ny * ny + nz * nz);
      rate += 0.5f * (fabsf(mx * nx + my * ny + mz * nz) / density + sound * area);
    }
    rate /= geometry[kVolume * count + i];
  }
  for (int distance = 16; distance > 0; distance /= 2)
    rate = fmaxf(rate, __shfl_xor_sync(0xffffffffu, rate, distance));
  if (threadIdx.x % 32 == 0)
    atomicMax(fastest, __float_as_int(rate));
}

// What flows into each cell through its faces: Rusanov's flux.
__global__ void sumFluxes(const float *geometry, const int *neighbours, const float *states,
                          int count, float *inflows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float density = states[kDensity * count + i];
  float mx = states[kMx * count + i], my = states[kMy * count + i], mz = states[kMz * count + i];
  float energy = states[kEnergy * count + i];
  float pressure = pressureOf(density, mx, my, mz, energy);
  float sound = sqrtf(kGamma * pressure / density);
  float sumDensity = 0.0f, sumX = 0.0f, sumY = 0.0f, sumZ = 0.0f, sumEnergy = 0.0f;
  for (int face = 0; face < 4; ++face) {
    int other = neighbours[face * count + i];
    float nx = geometry[(kNormals + 3 * face) * count + i],
          ny = geometry[(kNormals + 3 * face + 1) * count + i],
          nz = geometry[(kNormals + 3 * face + 2) * count + i];
    if (other < 0) { // a wall only pushes back
      sumX -= pressure * nx;
      sumY -= pressure * ny;
      sumZ -= pressure * nz;
      continue;
    }
    float density2 = states[kDensity * count + other];
    float mx2 = states[kMx * count + other], my2 = states[kMy * count + other],
          mz2 = states[kMz * count + other];
    float energy2 = states[kEnergy * count + other];
    float pressure2 = pressureOf(density2, mx2, my2, mz2, energy2);
    float sound2 = sqrtf(kGamma * pressure2 / density2);
    float area = sqrtf(nx * nx + ny * ny + nz * nz);
    float speed = (mx * nx + my * ny + mz * nz) / density;
    float speed2 = (mx2 * nx + my2 * ny + mz2 * nz) / density2;
    float fastest = fmaxf(fabsf(speed) + sound * area, fabsf(speed2) + sound2 * area);
    sumDensity -= 0.5f * (density * speed + density2 * speed2 - fastest * (density2 - density));
    sumX -= 0.5f * (mx * speed + mx2 * speed2 + (pressure + pressure2) * nx - fastest * (mx2 - mx));
    sumY -= 0.5f * (my * speed + my2 * speed2 + (pressure + pressure2) * ny - fastest * (my2 - my));
    sumZ -= 0.5f * (mz * speed + mz2 * speed2 + (pressure + pressure2) * nz - fastest * (mz2 - mz));
    sumEnergy -= 0.5f * ((energy + pressure) * speed + (energy2 + pressure2) * speed2 -
                         fastest * (energy2 - energy));
  }
  inflows[kDensity * count + i] = sumDensity;
  inflows[kMx * count + i] = sumX;
  inflows[kMy * count + i] = sumY;
  inflows[kMz * count + i] = sumZ;
  inflows[kEnergy * count + i] = sumEnergy;
}

// One stage: from the states at the step's start, over a part of the time step.
__global__ void advance(const float *geometry, const float *olds, const float *inflows, int count,
                        const int *fastest, float part, float *states) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float factor = part * kCourant / (__int_as_float(*fastest) * geometry[kVolume * count + i]);
  states[kDensity * count + i] =
      olds[kDensity * count + i] + factor * inflows[kDensity * count + i];
  states[kMx * count + i] = olds[kMx * count + i] + factor * inflows[kMx * count + i];
  states[kMy * count + i] = olds[kMy * count + i] + factor * inflows[kMy * count + i];
  states[kMz * count + i] = olds[kMz * count + i] + factor * inflows[kMz * count + i];
  states[kEnergy * count + i] = olds[kEnergy * count + i] + factor * inflows[kEnergy * count + i];
}

struct Options {
  int edge = 12; // hexahedra along an edge of the box
  int steps = 4;
  unsigned seed = 1;
  bool shuffle = false;
};

Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--shuffle") == 0) {
      options.shuffle = true;
      continue;
    }
    int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 0 && std::strcmp(argv[i], "--edge") == 0)
      options.edge = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      options.steps = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      options.seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr, "usage: %s [--edge N] [--steps N] [--seed N] [--shuffle]\n", argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

template <class T> T *toDevice(const std::vector<T> &values) {
  T *device = nullptr;
  CHECK(cudaMalloc(&device, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  const Mesh mesh(options.edge, options.shuffle, options.seed);
  const std::vector<Tetrahedron> &tetrahedra = mesh.tetrahedra();
  const int count = (int)tetrahedra.size();
  std::vector<float> geometry((std::size_t)kGeometryValues * count);
  std::vector<float> states((std::size_t)kStateValues * count, 0.0f);
  std::vector<int> neighbours(4 * (std::size_t)count);
  for (int i = 0; i < count; ++i) {
    const Tetrahedron &t = tetrahedra[i];
    geometry[kVolume * count + i] = (float)t.volume;
    for (int face = 0; face < 4; ++face) {
      neighbours[face * count + i] = t.neighbours[face];
      for (int axis = 0; axis < 3; ++axis)
        geometry[(kNormals + 3 * face + axis) * count + i] = (float)t.normals[face][axis];
    }
    const Vector fromCentre = minus(t.centre, {0.4, 0.5, 0.5});
    states[kDensity * count + i] = 1.0f;
    states[kEnergy * count + i] =
        (dot(fromCentre, fromCentre) < 0.25 * 0.25 ? 10.0f : 1.0f) / (kGamma - 1.0f);
  }
  float *deviceGeometry = toDevice(geometry), *deviceStates = toDevice(states);
  float *deviceOlds = toDevice(states), *deviceInflows = toDevice(states);
  int *deviceNeighbours = toDevice(neighbours);
  int *deviceFastest = toDevice(std::vector<int>(options.steps, 0)); // one a step

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const int threads = 128;
  const int blocks = (count + threads - 1) / threads;
  CHECK(cudaEventRecord(start));
  for (int step = 0; step < options.steps; ++step) {
    findFastest<<<blocks, threads>>>(deviceGeometry, deviceStates, count, deviceFastest + step);
    std::swap(deviceOlds, deviceStates);
    for (int stage = 0; stage < kStages; ++stage) {
      sumFluxes<<<blocks, threads>>>(deviceGeometry, deviceNeighbours,
                                     stage == 0 ? deviceOlds : deviceStates, count, deviceInflows);
      advance<<<blocks, threads>>>(deviceGeometry, deviceOlds, deviceInflows, count,
                                   deviceFastest + step, 1.0f / (kStages - stage), deviceStates);
    }
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));
  CHECK(cudaMemcpy(states.data(), deviceStates, states.size() * sizeof(float),
                   cudaMemcpyDeviceToHost));
  for (float *pointer : {deviceGeometry, deviceStates, deviceOlds, deviceInflows})
    CHECK(cudaFree(pointer));
  CHECK(cudaFree(deviceNeighbours));
  CHECK(cudaFree(deviceFastest));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  double mass = 0.0, energy = 0.0, kinetic = 0.0;
  for (int i = 0; i < count; ++i) {
    const double volume = geometry[kVolume * count + i], density = states[kDensity * count + i];
    const Vector m = {states[kMx * count + i], states[kMy * count + i], states[kMz * count + i]};
    mass += volume * density;
    energy += volume * states[kEnergy * count + i];
    kinetic += 0.5 * volume * dot(m, m) / density;
  }
  std::printf("%d cells, %d steps: mass %.6f, energy %.6f, kinetic %.7f\n", count, options.steps,
              mass, energy, kinetic);
  std::printf("kernel time: %.4f ms, %.2f M updates/s\n", elapsedMs,
              1e-3 * count * kStages * options.steps / elapsedMs);
  return 0;
}
