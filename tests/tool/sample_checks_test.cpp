// SPDX-License-Identifier: Apache-2.0
// The samples' own --check sees a kernel that computes something slightly else.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace relayout::test {
namespace {

/// One wrong number in a sample's kernel.
struct Slip {
  const char *name;
  const char *file;    ///< below samples/
  const char *sources; ///< of the program, below samples/
  const char *options; ///< beside --check
  const char *right;
  const char *wrong;
};

constexpr Slip kSlips[] = {
    {"Cfd", "cfd/gas.cu", "cfd/cfd.cu cfd/gas.cu", "", "sumX -= 0.5f", "sumX -= 0.505f"},
    {"Drift", "drift/drift.cu", "drift/drift.cu", "", "+ timeStep *", "+ 1.001f * timeStep *"},
    {"Himeno", "himeno/himeno.cu", "himeno/himeno.cu", "", "cells[at].wrk2 = old + kOmega",
     "cells[at].wrk2 = old + 1.01f * kOmega"},
    {"Hpcg", "hpcg/multigrid.cu", "hpcg/hpcg.cu hpcg/multigrid.cu", "", "+= correction[i]",
     "+= 1.001 * correction[i]"},
    {"Idw", "idw/idw.cu", "idw/idw.cu", "", "dx * dx + dy * dy + 1e-6f",
     "dx * dx + 1.01f * dy * dy + 1e-6f"},
    {"IdwAdaptive", "idw/idw.cu", "idw/idw.cu", "--adaptive", "powerFor(2.0f", "powerFor(2.1f"},
    {"Nbody", "nbody/nbody.cu", "nbody/nbody.cu", "", "= rsqrtf(", "= 1.01f * rsqrtf("},
    {"Particlefilter", "particlefilter/particlefilter.cu", "particlefilter/particlefilter.cu", "",
     "expf(6.0f", "expf(8.0f"},
    {"Sph", "sph/sph.cu", "sph/sph.cu", "", "0.5f * (density + otherDensity)",
     "0.55f * (density + otherDensity)"},
    {"Stencil", "stencil/stencil.cu", "stencil/stencil.cu", "", "firstWeights[4] = {4.0",
     "firstWeights[4] = {4.001"},
};

class SampleChecks : public testing::TestWithParam<Slip> {};

TEST_P(SampleChecks, SeeASmallFault) {
  const Slip &slip = GetParam();
  const Workplace place;
  const std::filesystem::path folder = std::filesystem::path(slip.file).parent_path();
  ASSERT_EQ(place.shell("cp -r '" + samples() + "/" + folder.string() + "' .").exitCode, 0);
  std::string text = place.read(slip.file);
  const std::size_t at = text.find(slip.right);
  ASSERT_NE(at, std::string::npos);
  place.write(slip.file, text.replace(at, std::string(slip.right).size(), slip.wrong));
  const Outcome lowered = place.relayout(std::string("instrument ") + slip.sources + " -o traced");
  ASSERT_EQ(lowered.exitCode, 0) << lowered.err;
  const Outcome run =
      place.relayout(std::string("run traced --trace counts -- --check ") + slip.options);
  EXPECT_EQ(run.exitCode, 1);
  EXPECT_THAT(run.out + run.err, testing::HasSubstr("WRONG"));
}

INSTANTIATE_TEST_SUITE_P(Samples, SampleChecks, testing::ValuesIn(kSlips),
                         [](const auto &chosen) { return std::string(chosen.param.name); });

} // namespace
} // namespace relayout::test
