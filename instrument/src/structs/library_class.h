// SPDX-License-Identifier: Apache-2.0
// Classes of the program's own that stand for a library's, of records: where they can stand.
#pragma once

#include "structs/split_structs.h"
#include "structs/split_text.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {

/// Why no class outside of all others can name the record; empty: one can.
[[nodiscard]] std::string obstacleToNaming(const clang::CXXRecordDecl &record);

/// Whether some unit's text or headers have the name.
[[nodiscard]] bool isNameIn(const std::vector<ParsedUnit *> &units, const std::string &name);

/// Whether each unit sees the class once.
/// \param placeOf  where the class stands, by the unit that asks for it
[[nodiscard]] bool haveOneClassEach(const std::map<ParsedUnit *, TypePlace> &placeOf);

/// All that got a class, where the program compiles.
[[nodiscard]] std::set<std::string> usefulClasses(const std::vector<SharedHolder> &holders,
                                                  const std::vector<ArrayFlow> &flows);

} // namespace relayout::instrument
