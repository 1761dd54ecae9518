// Shared by all source files of the program.
#pragma once

struct Particle {
  float x, y, mass;
  int cell[2];
};

struct Field {
  float value;
  float slope;
};

struct World {
  Particle *particles;
  Field *fields;
  int count;
};

extern World world;

__global__ void move(Particle *particles, const Field *fields, int count);
__device__ float slopeAt(const Field *fields, int cell);
Particle *allocateParticles(int count);
void advance(World &state, int steps);

inline int blocksFor(int count) { return (count + 63) / 64; }
