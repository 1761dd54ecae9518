// SPDX-License-Identifier: Apache-2.0
// Names that are made of a type's name: those of generated views, functions and files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace relayout {

/// The words of a type's name in either style, in lower case: NuclideGridPoint, atom_t,
/// FOUR_VECTOR, unsigned int, Particle<float>. A `t` at the end is left out.
[[nodiscard]] std::vector<std::string> wordsOf(std::string_view name);

/// NuclideGridPoint, Atom, FourVector.
[[nodiscard]] std::string joinedWords(const std::vector<std::string> &words);

} // namespace relayout
