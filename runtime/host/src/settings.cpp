// SPDX-License-Identifier: Apache-2.0
// Executor: reads its settings from the environment.
#include "settings.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <sstream>

namespace relayout::host {
namespace {

template <class Number>
void readNumber(const char *name, Number least, Number most, Number &value) {
  const char *text = std::getenv(name);
  if (text == nullptr || *text == '\0')
    return;
  Number number = 0;
  const char *end = text + std::strlen(text);
  const auto [stop, status] = std::from_chars(text, end, number);
  if (status != std::errc{} || stop != end || number < least || number > most) {
    std::fprintf(stderr,
                 "relayout: warning: %s is '%s', needed a number from %llu to %llu; using %llu\n",
                 name, text, static_cast<unsigned long long>(least),
                 static_cast<unsigned long long>(most), static_cast<unsigned long long>(value));
    return;
  }
  value = number;
}

void readSwitch(const char *name, bool &value) {
  unsigned number = 0;
  readNumber<unsigned>(name, 0, 1, number);
  value = number == 1;
}

/// Cores this process may run on.
unsigned usableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

} // namespace

Settings Settings::fromEnvironment() {
  Settings settings;
  settings.workers = usableCores();
  if (const char *path = std::getenv("RELAYOUT_TRACE"))
    settings.tracePath = path;
  if (const char *path = std::getenv("RELAYOUT_OUT_OF_BOUNDS"))
    settings.outOfBoundsPath = path;
  if (const char *mode = std::getenv("RELAYOUT_TRACE_MODE"); mode != nullptr && *mode != '\0') {
    if (std::strcmp(mode, "full") == 0)
      settings.traceMode = TraceMode::Full;
    else if (std::strcmp(mode, "counts") == 0)
      settings.traceMode = TraceMode::Counts;
    else if (std::strcmp(mode, "sampled") != 0)
      std::fprintf(stderr,
                   "relayout: warning: RELAYOUT_TRACE_MODE is '%s', needed full, sampled or "
                   "counts; using sampled\n",
                   mode);
  }
  readSwitch("RELAYOUT_SPARSE", settings.sparse);
  readSwitch("RELAYOUT_END_AT_CRASH", settings.endAtCrash);
  readSwitch("RELAYOUT_FILL_FREED", settings.fillFreed);
  if (const char *names = std::getenv("RELAYOUT_SPARSE_KERNELS")) {
    std::istringstream text(names);
    for (std::string name; std::getline(text, name);)
      settings.sparseKernels.push_back(name);
  }
  readNumber<unsigned>("RELAYOUT_SPARSE_AFTER", 0, 1u << 30, settings.sparseAfter);
  readNumber<unsigned>("RELAYOUT_END_AFTER", 0, 1u << 30, settings.endAfter);
  readNumber<std::uint64_t>("RELAYOUT_SAMPLE_BLOCKS", 1, 1ull << 40, settings.sampleBlocks);
  readNumber<std::uint64_t>("RELAYOUT_MAX_BYTES", 0, 1ull << 50, settings.maxBytes);
  readNumber<unsigned>("RELAYOUT_WORKERS", 1, 1024, settings.workers);
  readNumber<std::size_t>("RELAYOUT_STACK_BYTES", 16u << 10, 1ull << 30, settings.stackBytes);
  return settings;
}

const Settings &settings() {
  static const Settings kSettings = Settings::fromEnvironment();
  return kSettings;
}

} // namespace relayout::host
