// SPDX-License-Identifier: Apache-2.0
// Takes parameters, template arguments and results off a name.
#include "compiler_model/kernel_name.h"

namespace relayout::analysis {
namespace {

/// Where the bracket opens that the name's last character closes.
std::size_t openingOf(std::string_view name, char open, char close) {
  std::size_t depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    depth += name[i] == close ? 1 : 0;
    if (name[i] == open && --depth == 0)
      return i;
  }
  return name.size();
}

} // namespace

std::string nameInTrace(std::string_view demangled) {
  std::string_view name = demangled;
  if (name.ends_with(')'))
    name = name.substr(0, openingOf(name, '(', ')'));
  if (name.ends_with('>'))
    name = name.substr(0, openingOf(name, '<', '>'));
  constexpr std::string_view kResult = "void ";
  if (name.starts_with(kResult))
    name.remove_prefix(kResult.size());
  return std::string(name);
}

} // namespace relayout::analysis
