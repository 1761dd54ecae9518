// SPDX-License-Identifier: Apache-2.0
// The gas in its cells, and a time step of it on the device.
#pragma once
#include <cstdio>
#include <cstdlib>

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

// What is conserved, for a unit of volume.
struct State {
  float density;
  float mx, my, mz; // momentum
  float energy;
};

// A tetrahedron and its faces. Normals point outward and are as long as the face's area.
struct Cell {
  float volume;
  int neighbour[4]; // -1: wall
  float nx[4], ny[4], nz[4];
};

__host__ __device__ inline float pressureOf(float density, float mx, float my, float mz,
                                            float energy) {
  return (kGamma - 1.0f) * (energy - 0.5f * (mx * mx + my * my + mz * mz) / density);
}

// One Runge-Kutta step. `states` has the result; `olds` what was there before.
void advanceStep(const Cell *cells, const State *olds, State *states, State *inflows, int count,
                 int *fastest);

// The rate at which waves sweep the fastest cell, into `fastest`.
void measureFastest(const Cell *cells, const State *states, int count, int *fastest);
