// SPDX-License-Identifier: Apache-2.0
// Which groups are no arrays: all that is allocated for them is one element at a time.
#pragma once

#include "model/linked_facts.h"

#include <memory>
#include <set>
#include <vector>

namespace relayout::instrument {

/// Groups, by number, of which some allocation of one element is seen, and nothing that says that
/// there may be more: an allocation of another size or of one that is not known, an index, pointer
/// arithmetic, an array, or a cast of what a function returns without a type. Where variables of
/// type `void *` lead to a record's objects, that has to hold for all groups of the record. Of
/// classes with virtual functions no allocation needs to be seen.
[[nodiscard]] std::set<trace::Index>
singleObjects(const std::vector<std::unique_ptr<UnitReading>> &units);

} // namespace relayout::instrument
