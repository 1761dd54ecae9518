#pragma once

struct Body {
  float x, y, mass;
  int hits;
};

__device__ void update(Body *b, float dt);
__device__ void assign(Body *to, const Body *from);
__device__ inline float massOf(const Body *b) { return b->mass; }
