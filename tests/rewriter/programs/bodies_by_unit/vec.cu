#include "vec.cuh"

__device__ float Vec::length() const { return sqrtf(x * x + y * y); }

__device__ float distance(const Vec &a, const Vec &b) {
  Vec between = {a.x - b.x, a.y - b.y};
  return between.length();
}

__device__ void limit(Vec &v, float most) {
  float length = v.length();
  if (length > most) {
    v.x *= most / length;
    v.y *= most / length;
  }
}

__device__ const Vec *known;
__device__ void remember(const Vec &v) { known = &v; }
__device__ float remembered() { return known->x; }
