// SPDX-License-Identifier: Apache-2.0
// Kernels of the time step: fluxes through the faces, and what they change.
#include "gas.h"

const int kThreads = 128;

// The largest rate, over all cells, at which waves sweep a cell. Rates are positive, so that their
// bits order as integers do.
__global__ void findFastest(const Cell *cells, const State *states, int count, int *fastest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float rate = 0.0f;
  if (i < count) {
    float density = states[i].density;
    float mx = states[i].mx, my = states[i].my, mz = states[i].mz;
    float sound = sqrtf(kGamma * pressureOf(density, mx, my, mz, states[i].energy) / density);
    for (int face = 0; face < 4; ++face) {
      float nx = cells[i].nx[face], ny = cells[i].ny[face], nz = cells[i].nz[face];
      float area = sqrtf(nx * nx + ny * ny + nz * nz);
      rate += 0.5f * (fabsf(mx * nx + my * ny + mz * nz) / density + sound * area);
    }
    rate /= cells[i].volume;
  }
  for (int distance = 16; distance > 0; distance /= 2)
    rate = fmaxf(rate, __shfl_xor_sync(0xffffffffu, rate, distance));
  if (threadIdx.x % 32 == 0)
    atomicMax(fastest, __float_as_int(rate));
}

// What flows into each cell through its faces: Rusanov's flux.
__global__ void sumFluxes(const Cell *cells, const State *states, int count, State *inflows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float density = states[i].density;
  float mx = states[i].mx, my = states[i].my, mz = states[i].mz;
  float energy = states[i].energy;
  float pressure = pressureOf(density, mx, my, mz, energy);
  float sound = sqrtf(kGamma * pressure / density);
  float sumDensity = 0.0f, sumX = 0.0f, sumY = 0.0f, sumZ = 0.0f, sumEnergy = 0.0f;
  for (int face = 0; face < 4; ++face) {
    int other = cells[i].neighbour[face];
    float nx = cells[i].nx[face], ny = cells[i].ny[face], nz = cells[i].nz[face];
    if (other < 0) { // a wall only pushes back
      sumX -= pressure * nx;
      sumY -= pressure * ny;
      sumZ -= pressure * nz;
      continue;
    }
    float density2 = states[other].density;
    float mx2 = states[other].mx, my2 = states[other].my, mz2 = states[other].mz;
    float energy2 = states[other].energy;
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
  inflows[i].density = sumDensity;
  inflows[i].mx = sumX;
  inflows[i].my = sumY;
  inflows[i].mz = sumZ;
  inflows[i].energy = sumEnergy;
}

// One stage: from the states at the step's start, over a part of the time step.
__global__ void advance(const Cell *cells, const State *olds, const State *inflows, int count,
                        const int *fastest, float part, State *states) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float factor = part * kCourant / (__int_as_float(*fastest) * cells[i].volume);
  states[i].density = olds[i].density + factor * inflows[i].density;
  states[i].mx = olds[i].mx + factor * inflows[i].mx;
  states[i].my = olds[i].my + factor * inflows[i].my;
  states[i].mz = olds[i].mz + factor * inflows[i].mz;
  states[i].energy = olds[i].energy + factor * inflows[i].energy;
}

static int blocksFor(int count) { return (count + kThreads - 1) / kThreads; }

void measureFastest(const Cell *cells, const State *states, int count, int *fastest) {
  findFastest<<<blocksFor(count), kThreads>>>(cells, states, count, fastest);
  CHECK(cudaGetLastError());
}

void advanceStep(const Cell *cells, const State *olds, State *states, State *inflows, int count,
                 int *fastest) {
  for (int stage = 0; stage < kStages; ++stage) {
    sumFluxes<<<blocksFor(count), kThreads>>>(cells, stage == 0 ? olds : states, count, inflows);
    advance<<<blocksFor(count), kThreads>>>(cells, olds, inflows, count, fastest,
                                            1.0f / (kStages - stage), states);
  }
  CHECK(cudaGetLastError());
}
