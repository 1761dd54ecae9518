// SPDX-License-Identifier: Apache-2.0
// Fuzzing: any text is refused as a machine file, or read so that it can be written and read again;
// and is an architecture file or not.
#include "relayout/analysis/gpu/architecture.h"
#include "relayout/analysis/gpu/machine.h"

#include <cstddef>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *bytes, std::size_t size) {
  using namespace relayout;
  const std::string_view input(reinterpret_cast<const char *>(bytes), size);
  (void)analysis::architectureFromJson(input);
  const Result<analysis::Machine> machine = analysis::machineFromJson(input);
  if (!machine)
    return 0;
  const std::string written = analysis::toJson(*machine);
  const Result<analysis::Machine> again = analysis::machineFromJson(written);
  if (!again || analysis::toJson(*again) != written)
    __builtin_trap();
  return 0;
}
