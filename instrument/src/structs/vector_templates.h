// SPDX-License-Identifier: Apache-2.0
// Templates that are made for Thrust vectors of records, as `template <class T>
// T *raw(thrust::device_vector<T> &v)`, and `template <class T> class Buffer` that holds one: each
// such instance gets a text of its own, in which another class can take the vector's place.
#pragma once

#include "parse/replaced_text.h"
#include "relayout/instrument/clang/front_end.h"

#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {

/// The files with an overload behind each such function template, which calls without template
/// arguments prefer, and an explicit specialization behind each such template that is told by its
/// arguments.
/// \param only  records by the names that a trace has for them; null: all
/// \returns  empty where there is no such instance, or no place for its text
[[nodiscard]] std::vector<ReplacedText> vectorInstances(const std::vector<ParsedUnit *> &units,
                                                        const std::set<std::string> *only);

} // namespace relayout::instrument
