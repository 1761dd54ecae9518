// SPDX-License-Identifier: Apache-2.0
// `struct Matrix { float *elements; };` whose objects hold the host's memory or the device's, never
// both: the device's get a type of their own, so that each pointer leads to memory of one kind.
#pragma once

#include "parse/replaced_text.h"
#include "relayout/instrument/parsed_program.h"

#include <set>
#include <string>
#include <vector>

namespace clang {
class ValueDecl;
} // namespace clang

namespace relayout::instrument {

struct SplitProgram {
  std::vector<ReplacedText> texts; ///< of files that change; it means what the program means
  std::vector<SharedHolder> holders;
};

/// \param only  the names of structs that may be split; null: all
[[nodiscard]] SplitProgram splitStructs(const std::vector<ParsedUnit *> &units,
                                        const std::vector<ArrayFlow> &flows,
                                        const std::set<std::string> *only);

/// Those of which some declaration, in some form, is a pointer to CUDA's memory alone.
/// \param isOf  whether the declaration is of the holder
[[nodiscard]] std::set<std::string>
usefulHolders(const std::vector<SharedHolder> &holders, const std::vector<ArrayFlow> &flows,
              bool (*isOf)(const SharedHolder &holder, const clang::ValueDecl &declaration));

/// The structs whose second type was of use: some pointer of it leads to device memory alone.
[[nodiscard]] std::set<std::string> usefulSplits(const std::vector<SharedHolder> &holders,
                                                 const std::vector<ArrayFlow> &flows);

/// Structs that no pointer of another one of them leads to: which objects are of the device does
/// not depend on how the others are split. Empty where no pointer leads to any of them.
[[nodiscard]] std::set<std::string> outermostSplits(const std::vector<SharedHolder> &holders,
                                                    const std::vector<ArrayFlow> &flows);

} // namespace relayout::instrument
