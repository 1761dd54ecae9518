// SPDX-License-Identifier: Apache-2.0
// One table of CUDA calls (cuda_calls.def), and everybody who deals with them agrees with it.
#include "relayout_command.h"

#include "relayout/base/cuda_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace relayout::test {
namespace {

namespace fs = std::filesystem;

/// Functions that a library defines.
std::set<std::string> definedIn(const std::string &options, const std::string &library) {
  const fs::path file = fs::path(RELAYOUT_LIBRARIES) / library;
  FILE *listing = popen(("nm --defined-only " + options + " '" + file.string() + "'").c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t bytes = fread(buffer.data(), 1, buffer.size(), listing))
    text.append(buffer.data(), bytes);
  EXPECT_EQ(pclose(listing), 0) << file;
  std::set<std::string> names;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    names.insert(word.substr(0, word.find('@')));
  return names;
}

/// The calls that the executor has as plain functions.
std::vector<std::string> calledOnCpu() {
  std::vector<std::string> names;
#define CUDA_ALLOCATION(name, ...) names.emplace_back(#name);
#define CUDA_FREE(name, ...) names.emplace_back(#name);
#define CUDA_COPY(name, ...) names.emplace_back(#name);
#define CUDA_SET(name, ...) names.emplace_back(#name);
#include "relayout/base/cuda_calls.def"
  return names;
}

TEST(CudaCalls, AreFoundByTheirNames) {
  const CudaCall *copy = cudaCallNamed("cudaMemcpy2DAsync");
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->kind, CudaCallKind::Copy);
  EXPECT_TRUE(copy->isOnStream);
  EXPECT_TRUE(copy->isHooked);
  EXPECT_FALSE(copy->isGenerated);
  EXPECT_EQ(copy->perThread, "cudaMemcpy2DAsync_ptsz");
  EXPECT_EQ(cudaCallNamed("cudaMallocManaged")->memory, CudaMemory::Managed);
  EXPECT_FALSE(cudaCallNamed("cudaHostAlloc")->isHooked);
  EXPECT_EQ(cudaCallNamed("cudaMemcpyKind"), nullptr);
}

TEST(CudaCalls, TheExecutorDefinesThem) {
  const std::set<std::string> defined = definedIn("", "librelayout_host.a");
  EXPECT_GT(calledOnCpu().size(), 15u);
  for (const std::string &name : calledOnCpu())
    EXPECT_TRUE(defined.contains(name)) << name;
}

TEST(CudaCalls, TheHooksStandInForThem) {
  const std::set<std::string> defined = definedIn("", "librelayout_hooks.a");
  std::size_t hooked = 0;
  for (const CudaCall &call : cudaCalls()) {
    hooked += call.isHooked;
    EXPECT_EQ(defined.contains("__wrap_" + std::string(call.name)), call.isHooked) << call.name;
    if (call.isHooked && !call.perThread.empty()) {
      EXPECT_TRUE(defined.contains("__wrap_" + std::string(call.perThread))) << call.perThread;
    }
  }
  EXPECT_GT(hooked, 15u);
}

TEST(CudaCalls, TheLinkerIsToldToWrapThem) {
  const Workplace place;
  place.writeScript("nvcc", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
  const Outcome outcome = place.relayout("cc -- ./nvcc -o program main.o");
  for (const CudaCall &call : cudaCalls())
    EXPECT_EQ(outcome.out.find("--wrap=" + std::string(call.name) + "\n") != std::string::npos,
              call.isHooked)
        << call.name;
}

TEST(CudaCalls, TheCheckOfCopiesSeesThem) {
  const std::set<std::string> defined = definedIn("-D", "librelayout_copies.so");
#define CUDA_COPY(name, ...) EXPECT_TRUE(defined.contains(#name)) << #name;
#include "relayout/base/cuda_calls.def"
}

TEST(CudaCalls, NobodyElseNamesThem) {
  const std::regex spelled("\"cuda(Malloc|HostAlloc|Memcpy|Memset|Free)\\w*\"");
  for (const char *folder : {"instrument", "tool"})
    for (const fs::directory_entry &entry :
         fs::recursive_directory_iterator(fs::path(RELAYOUT_SOURCE_DIR) / folder)) {
      if (!entry.is_regular_file())
        continue;
      std::ifstream in(entry.path());
      std::ostringstream text;
      text << in.rdbuf();
      EXPECT_FALSE(std::regex_search(text.str(), spelled)) << entry.path();
    }
}

} // namespace
} // namespace relayout::test
