// SPDX-License-Identifier: Apache-2.0
// Executor: what a program that is compiled with -fsanitize=bounds calls where it indexes an array
// beyond its end. The first such place is written to a file, and the program goes on.
#include "settings.h"

#include <atomic>
#include <cstdint>
#include <cstdio>

/// As GCC and Clang lay it out for their own runtime.
struct OutOfBoundsData {
  const char *file;
  std::uint32_t line;
  std::uint32_t column;
};

// Weak, as the compilers' runtime has one, too, where the executor itself is checked.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the compilers' name
extern "C" [[gnu::weak]] void __ubsan_handle_out_of_bounds(const OutOfBoundsData *place,
                                                           std::uintptr_t) {
  static std::atomic<bool> isKnown = false;
  const std::string &path = relayout::host::settings().outOfBoundsPath;
  if (path.empty() || isKnown.exchange(true))
    return;
  if (std::FILE *file = std::fopen(path.c_str(), "w")) {
    std::fprintf(file, "%s\n%u\n%u\n", place->file, place->line, place->column);
    std::fclose(file);
  }
}
