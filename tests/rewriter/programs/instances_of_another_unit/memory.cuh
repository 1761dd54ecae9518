#pragma once
#include "drop.cuh"

// Defined for some types in a unit of its own.
template <typename T> T *upload(T *values, int n);

template <typename T> T *zeroed(int n);

template <typename T> void download(T *to, const T *from, int n = 256);

namespace shapes {
template <typename T, int N> __global__ void scale(T *values, float by);
} // namespace shapes
