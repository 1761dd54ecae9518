// SPDX-License-Identifier: Apache-2.0
// Translates nvcc's command line to what a Clang parse needs of it.
#include "relayout/instrument/command.h"

#include <array>
#include <string_view>

namespace relayout::instrument {
namespace {

/// Flags kept as they are when glued to their value, and kept with their next word when not.
constexpr std::array<std::string_view, 5> kKeptWithValue = {"-I", "-D", "-U", "-isystem",
                                                            "-include"};
/// nvcc's long spellings of the same, `--name=value` or `--name value`.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kLongForms = {
    {{"--include-path", "-I"},
     {"--define-macro", "-D"},
     {"--undefine-macro", "-U"},
     {"--system-include", "-isystem"},
     {"--pre-include", "-include"}}};

} // namespace

std::vector<std::string> toClangFlags(const std::vector<std::string> &nvccFlags) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < nvccFlags.size(); ++i) {
    const std::string_view flag = nvccFlags[i];
    const auto nextWord = [&]() -> std::string {
      return i + 1 < nvccFlags.size() ? nvccFlags[++i] : std::string();
    };
    if (flag.starts_with("-std=")) {
      kept.emplace_back(flag);
      continue;
    }
    if (flag.starts_with("--std=")) {
      kept.emplace_back(flag.substr(1));
      continue;
    }
    if (flag == "-std" || flag == "--std") {
      kept.push_back("-std=" + nextWord());
      continue;
    }
    bool done = false;
    for (std::string_view name : kKeptWithValue) {
      if (flag == name) {
        kept.emplace_back(name);
        kept.push_back(nextWord());
        done = true;
      } else if (flag.starts_with(name)) {
        kept.emplace_back(flag);
        done = true;
      }
      if (done)
        break;
    }
    if (done)
      continue;
    for (const auto &[longName, shortName] : kLongForms) {
      if (flag == longName) {
        kept.emplace_back(shortName);
        kept.push_back(nextWord());
      } else if (flag.starts_with(longName) && flag.size() > longName.size() &&
                 flag[longName.size()] == '=') {
        kept.emplace_back(shortName);
        kept.emplace_back(flag.substr(longName.size() + 1));
      }
    }
  }
  return kept;
}

} // namespace relayout::instrument
