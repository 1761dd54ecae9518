// Functions for elements of arrays, and for objects of a function's own.
#include "body.h"

__device__ void update(Body *b, float dt) {
  b->x += dt * massOf(b);
  Body own;
  assign(&own, b);
  own.y += 1;
  assign(b, &own);
}

__device__ void assign(Body *to, const Body *from) {
  *to = *from;
  ++to->hits;
}
