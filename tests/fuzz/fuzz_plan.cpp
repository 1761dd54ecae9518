// SPDX-License-Identifier: Apache-2.0
// Fuzzing: any text is refused as a plan, or read so that it can be written and read again.
#include "relayout/analysis/plan/plan.h"

#include <cstddef>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *bytes, std::size_t size) {
  using namespace relayout;
  const std::string_view input(reinterpret_cast<const char *>(bytes), size);
  const Result<analysis::Plan> plan = analysis::planFromJson(input);
  if (!plan)
    return 0;
  const std::string written = analysis::toJson(*plan);
  const Result<analysis::Plan> again = analysis::planFromJson(written);
  if (!again || analysis::toJson(*again) != written)
    __builtin_trap();
  return 0;
}
