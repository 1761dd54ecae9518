// SPDX-License-Identifier: Apache-2.0
// Executor: each thread that runs blocks has a stack for its crash report, and gives it back.
#include "failure.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>
#include <vector>

namespace relayout::host {
namespace {

stack_t currentStack() {
  stack_t current{};
  EXPECT_EQ(sigaltstack(nullptr, &current), 0);
  return current;
}

TEST(CrashStack, IsTheThreadsWhileItLives) {
  std::thread([] {
    {
      const CrashStack stack;
      EXPECT_EQ(currentStack().ss_flags & SS_DISABLE, 0);
      EXPECT_GE(currentStack().ss_size, static_cast<std::size_t>(MINSIGSTKSZ));
    }
    EXPECT_NE(currentStack().ss_flags & SS_DISABLE, 0);
  }).join();
}

TEST(CrashStack, LeavesTheProgramsOwnAlone) {
  std::thread([] {
    std::vector<char> memory(64u << 10);
    stack_t own{};
    own.ss_sp = memory.data();
    own.ss_size = memory.size();
    ASSERT_EQ(sigaltstack(&own, nullptr), 0);
    {
      const CrashStack stack;
      EXPECT_EQ(currentStack().ss_sp, memory.data());
    }
    EXPECT_EQ(currentStack().ss_sp, memory.data());
    own.ss_flags = SS_DISABLE;
    sigaltstack(&own, nullptr);
  }).join();
}

TEST(CrashStack, LeavesOneAloneThatTheProgramSetLater) {
  std::thread([] {
    std::vector<char> memory(64u << 10);
    stack_t own{};
    own.ss_sp = memory.data();
    own.ss_size = memory.size();
    {
      const CrashStack stack;
      ASSERT_EQ(sigaltstack(&own, nullptr), 0);
    }
    EXPECT_EQ(currentStack().ss_sp, memory.data());
    own.ss_flags = SS_DISABLE;
    sigaltstack(&own, nullptr);
  }).join();
}

} // namespace
} // namespace relayout::host
