// SPDX-License-Identifier: Apache-2.0
// Tests of the trace format: a small trace with every kind of entry, and files to put it in.
#pragma once

#include "relayout/trace/reader.h"
#include "relayout/trace/trace.h"
#include "relayout/trace/writer.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace relayout::trace {

/// A file name of this test's own, removed at the end.
class TemporaryFile {
public:
  TemporaryFile() {
    const auto *test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::temp_directory_path() /
             (std::string("relayout_") + test->test_suite_name() + "_" + test->name() + "_" +
              std::to_string(::getpid()) + ".trace"))
                .string();
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }

  [[nodiscard]] const std::string &path() const { return path_; }

  [[nodiscard]] std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string &bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }

private:
  std::string path_;
};

inline WarpAccess affineAccess(std::uint32_t site, std::uint32_t warp, std::uint64_t order,
                               std::uint64_t base, std::uint64_t stride,
                               std::uint32_t mask = 0xffffffffu) {
  WarpAccess access;
  access.site = site;
  access.warp = warp;
  access.order = order;
  access.activeMask = mask;
  access.bytes = 4;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    if ((mask >> lane & 1) != 0)
      access.addresses[lane] = base + stride * lane;
  return access;
}

/// One of every kind of step.
inline CodeOutline sampleOutline() {
  return {"step",
          true,
          {},
          {code::Access{0}, code::Loop{0, 3, code::kUnrollAll}, code::Access{1}, code::LoopEnd{},
           code::Loop{kNone, {}, {}}, code::Unreachable{}, code::Divide{true},
           code::UnreachableEnd{}, code::LoopEnd{}, code::SingleTrip{0}, code::SingleTrip{kNone},
           code::Branch{12, true, true}, code::Jump{}, code::LibraryCall{"sqrtf", true, true},
           code::Call{0}, code::Call{kNone}}};
}

inline Operations sampleOperations() {
  Operations operations;
  operations.add({OperationKind::Multiply, ValueType::Double, {}}, 1.5);
  operations.add({OperationKind::Call, ValueType::Single, "sinf"}, 2);
  Operations other;
  other.add({OperationKind::Access, ValueType::Integer, {}});
  operations.add(choiceOf({operations, other}), 3);
  return operations;
}

inline SiteTable sampleTable() {
  SiteTable table;
  table.sourceFile = "sample.cu";
  table.sourceDigest = "0123456789abcdef";
  Record &body = table.records.emplace_back();
  body.name = "sim::Body";
  body.place = {"sample.cu", 3, 8};
  body.bytes = 16;
  body.alignment = 4;
  body.fields = {{"x", "float", "", 0, 4, 4, 1}, {"v", "float", "[3]", 4, 12, 4, 3}};
  table.groups.push_back({0, {"main::d", "step::p"}, {"sample.cu", 20, 9}, true});
  table.loops.push_back({2, kNone, "step", {"sample.cu", 11, 3}, sampleOperations()});
  table.sites.push_back({1, AccessKind::Read, 0, 0, 0, kNone, 4, "step", {"sample.cu", 10, 12}});
  table.sites.push_back({3, AccessKind::Write, 0, 0, 1, 0, 4, "step", {"sample.cu", 12, 5}});
  table.sites.push_back(
      {7, AccessKind::Atomic, 0, kNone, kNone, 0, 16, "step", {"sample.cu", 13, 5}});
  table.kernels.push_back({"step", {"sample.cu", 8, 17}, sampleOperations(), 27, 512});
  table.reaches = {{0, 0, kNone}, {0, 1, 0}, {0, 2, 0}};
  table.outlines = {{"far", false, {true, false, true}, {code::Jump{}}}, sampleOutline()};
  return table;
}

/// The accesses of the sample trace: one of each address shape, and lanes missing.
inline std::vector<WarpAccess> sampleAccesses() {
  std::vector<WarpAccess> accesses;
  accesses.push_back(affineAccess(1, 0, 0, 0x7000, 16));
  accesses.push_back(affineAccess(3, 0, 1, 0x7004, 16, 0x0000fff0u));
  accesses.push_back(affineAccess(1, 1, 0, 0x7200, static_cast<std::uint64_t>(-16)));
  WarpAccess scattered = affineAccess(3, 1, 1, 0x9000, 0);
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    scattered.addresses[lane] += (lane * lane * 37) % 4096;
  accesses.push_back(scattered);
  scattered.order = 2;
  scattered.addresses[5] += 0x12345678;
  accesses.push_back(scattered);
  scattered.order = 5;
  scattered.addresses[9] = 0xfedcba9876543210;
  scattered.block = 3;
  scattered.launch = 1;
  accesses.push_back(scattered);
  accesses.push_back(affineAccess(1, 0, 0, 0x123, 0, 0x80000000u));
  return accesses;
}

inline std::vector<SiteCount> sampleCounts() {
  return {{0, 1, 5, 120, 3, 2}, {0, 3, 4, 110, 4, 0}, {0, 7, 9, 9, 0, 9}};
}

inline void writeSample(const std::string &path, bool close = true) {
  Result<Writer> writer = Writer::create(path);
  ASSERT_TRUE(writer.has_value());
  writer->machine({"cpu", "test machine"});
  writer->command("./sample 16");
  writer->sites(toJson(sampleTable()));
  writer->allocation({0x7000, 4096, {{"n", 32}}, 1});
  writer->launch({0, {4, 1, 1}, {64, 1, 1}, 128, 1});
  writer->launch({0, {4, 2, 1}, {64, 1, 1}, 0, 4});
  EXPECT_EQ(writer->accesses(sampleAccesses()), sampleAccesses().size());
  writer->copy({4096, 12, "00ff00ff", "sample.cu:30"});
  writer->transfer({0x7000, true, 3, 96, "sample.cu:30"});
  if (close) {
    ASSERT_TRUE(writer->close({"step"}, sampleCounts(), {{0, 2, 6, 24}}, 3, 16, 6).has_value());
  }
}

} // namespace relayout::trace
