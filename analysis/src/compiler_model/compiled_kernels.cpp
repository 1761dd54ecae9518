// SPDX-License-Identifier: Apache-2.0
// Reads the words of ptxas.
#include "relayout/analysis/compiler_model/compiled_kernels.h"

#include "compiler_model/kernel_name.h"
#include "relayout/base/demangled.h"

#include <algorithm>
#include <charconv>

namespace relayout::analysis {
namespace {

/// What stands between the first `before` and the next `after`.
std::string_view between(std::string_view line, std::string_view before, std::string_view after) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos)
    return {};
  const std::string_view rest = line.substr(at + before.size());
  return rest.substr(0, std::min(rest.find(after), rest.size()));
}

/// The number in front of `unit`; 0: there is none.
std::uint64_t numberBefore(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos)
    return 0;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9')
    --begin;
  std::uint64_t number = 0;
  std::from_chars(line.data() + begin, line.data() + end, number);
  return number;
}

} // namespace

CompiledKernels compiledKernels(std::string_view words) {
  CompiledKernels kernels;
  CompiledKernel *kernel = nullptr; // of the lines that follow
  while (!words.empty()) {
    const std::string_view line = words.substr(0, words.find('\n'));
    words.remove_prefix(std::min(line.size() + 1, words.size()));
    if (const auto name = between(line, "Compiling entry function '", "'"); !name.empty())
      kernel = &kernels[nameInTrace(demangled(std::string(name)))];
    if (kernel == nullptr)
      continue;
    // The properties of a function that is not inlined have no registers of their own.
    kernel->spillBytes = std::max(kernel->spillBytes, numberBefore(line, " bytes spill stores") +
                                                          numberBefore(line, " bytes spill loads"));
    kernel->registers =
        std::max(kernel->registers, static_cast<std::uint32_t>(numberBefore(line, " registers")));
  }
  std::erase_if(kernels, [](const auto &known) { return known.second.registers == 0; });
  return kernels;
}

} // namespace relayout::analysis
