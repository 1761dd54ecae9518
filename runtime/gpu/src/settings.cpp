// SPDX-License-Identifier: Apache-2.0
// GPU tracing: reads its settings from the environment.
#include "settings.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace relayout::gpu {
namespace {

std::string_view variable(const char *name) {
  const char *text = std::getenv(name);
  return text == nullptr ? std::string_view{} : std::string_view{text};
}

template <class Number> bool parse(std::string_view text, Number &value) {
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc{} && stop == text.data() + text.size();
}

} // namespace

Settings Settings::fromEnvironment() {
  Settings settings;
  const auto complain = [&settings](const char *name, std::string_view text) {
    settings.problems += (settings.problems.empty() ? "" : "; ") + std::string(name) + " is '" +
                         std::string(text) + "', which makes no sense; using the default";
  };
  const auto number = [&](const char *name, std::uint64_t least, std::uint64_t &value) {
    const std::string_view text = variable(name);
    if (text.empty())
      return;
    std::uint64_t read = 0;
    if (parse(text, read) && read >= least)
      value = read;
    else
      complain(name, text);
  };
  settings.tracePath = variable("RELAYOUT_TRACE");
  const std::string_view mode = variable("RELAYOUT_TRACE_MODE");
  if (mode == "full")
    settings.sampling = device::Sampling::All;
  else if (mode == "counts")
    settings.sampling = device::Sampling::Counts;
  else if (mode == "sm" ||
           (mode.substr(0, 3) == "sm:" && parse(mode.substr(3), settings.sampledSm)))
    settings.sampling = device::Sampling::OneSm;
  else if (!mode.empty() && mode != "sampled")
    complain("RELAYOUT_TRACE_MODE", mode);
  number("RELAYOUT_SAMPLE_BLOCKS", 1, settings.sampleBlocks);
  number("RELAYOUT_MAX_BYTES", 0, settings.maxBytes);
  number("RELAYOUT_EXIT_SECONDS", 0, settings.exitSeconds);
  settings.useCupti = variable("RELAYOUT_CUPTI") != "0";
  settings.verbose = !variable("RELAYOUT_VERBOSE").empty();
  return settings;
}

} // namespace relayout::gpu
