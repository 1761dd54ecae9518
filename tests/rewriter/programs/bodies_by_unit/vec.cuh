#pragma once

struct Vec {
  float x, y;
  Vec() = default;
  __host__ __device__ Vec(float x, float y) : x(x), y(y) {}
  __host__ __device__ Vec(const Vec &other) = default;
  __host__ __device__ Vec &operator=(const Vec &other);
  __device__ float length() const;
  __device__ Vec turned() const;
};

__device__ float distance(const Vec &a, const Vec &b);
__device__ void limit(Vec &v, float most);

__device__ void pull(Vec *v, const Vec *to);
__device__ float lengthOf(const void *what);

struct Ball {
  Vec at, speed;
  int hits;
  __device__ void move(float time);
  __device__ float slow(float by);
  __device__ void mark();
  __device__ void count();
};

__device__ void remember(const Vec &v);
__device__ float remembered();
