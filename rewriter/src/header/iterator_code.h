// SPDX-License-Identifier: Apache-2.0
// What makes views iterators of Thrust's, as text of the generated header.
#pragma once

#include "relayout/rewriter/header.h"

#include <string>

namespace relayout::rewriter {

/// Members that records may not have as fields where their views are iterators.
[[nodiscard]] bool isIteratorMember(const std::string &name);

/// Members of the view of const records, which reads values.
[[nodiscard]] std::string constIteratorMembers(const RecordShape &shape,
                                               const GeneratedNames &names);
/// Members of the other view, whose elements are assigned through objects of its `reference`.
[[nodiscard]] std::string iteratorMembers(const RecordShape &shape);
/// What is defined behind that view.
[[nodiscard]] std::string elementReference(const RecordShape &shape, const GeneratedNames &names);
/// What is defined behind the record's namespaces.
[[nodiscard]] std::string referenceTrait(const RecordShape &shape, const GeneratedNames &names);

} // namespace relayout::rewriter
