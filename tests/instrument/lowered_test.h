// SPDX-License-Identifier: Apache-2.0
// What the programs of tests of lowering begin with.
#pragma once

#include "lowered_program.h"

namespace relayout::instrument {

inline constexpr const char *kPrelude = R"(
#include <cstdio>
struct P { float x; int n; };
template <class T> T *device(int n) { T *p; cudaMalloc(&p, n * sizeof(T)); cudaMemset(p, 0, n * sizeof(T)); return p; }
template <class T> void show(const T *d, int n) {
  for (int i = 0; i < n; ++i) { T v; cudaMemcpy(&v, d + i, sizeof(T), cudaMemcpyDeviceToHost); std::printf("%g ", (double)v); }
  std::printf("\n");
}
)";

} // namespace relayout::instrument
