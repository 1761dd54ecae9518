// SPDX-License-Identifier: Apache-2.0
// Tests of lowered programs, with every compiler.
#pragma once

#include "lowered_program.h"

namespace relayout::instrument {

class Lowered : public testing::TestWithParam<std::string> {
protected:
  /// Traced or not, the program prints the same.
  void expectOutput(const ProgramText &program, const std::string &output) {
    EXPECT_EQ(runLowered(program, Probes::None, GetParam()), output + "exit 0");
    EXPECT_EQ(runLowered(program, Probes::Trace, GetParam()), output + "exit 0");
  }
};

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
