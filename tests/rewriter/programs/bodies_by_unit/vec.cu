#include "vec.cuh"

#include <utility>

__host__ __device__ Vec &Vec::operator=(const Vec &other) {
  x = other.x;
  y = other.y;
  return *this;
}

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

__device__ void pull(Vec *v, const Vec *to) {
  v->x += 0.25f * (to->x - v->x);
  v->y += 0.25f * (to->y - v->y);
}

__device__ float lengthOf(const void *what) {
  const Vec *v = (const Vec *)what;
  return v->length();
}

__device__ Vec Vec::turned() const {
  Vec turned = {y, -x};
  return std::move(turned);
}

__device__ void Ball::move(float time) {
  Vec across = speed.turned();
  at.x += time * across.x;
  at.y += time * across.y;
}

__device__ float Ball::slow(float by) {
  speed.x /= by;
  speed.y /= by;
  return speed.length();
}

__device__ void Ball::mark() { ++hits; }

__device__ int marked;
__device__ void Ball::count() {
  ++hits;
  ++marked;
}

__device__ const Vec *known;
__device__ void remember(const Vec &v) { known = &v; }
__device__ float remembered() { return known->x; }
