// SPDX-License-Identifier: Apache-2.0
// Function templates that Thrust vectors of records instantiate, as `template <class T>
// T *raw(thrust::device_vector<T> &v)`: a function of their own for each such instance, in whose
// text another class can take the vector's place.
#pragma once

#include "parse/replaced_text.h"
#include "relayout/instrument/clang/front_end.h"

#include <vector>

namespace relayout::instrument {

/// The files with an overload behind each such template. Calls without template arguments prefer
/// it.
/// \returns  empty where there is no such instance, or no place for its overload
[[nodiscard]] std::vector<ReplacedText> vectorInstances(const std::vector<ParsedUnit *> &units);

} // namespace relayout::instrument
