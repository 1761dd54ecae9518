// SPDX-License-Identifier: Apache-2.0
// Parameters of device functions that are given the address of a field, or a reference to it.
#pragma once

#include "model/access_chain.h"

namespace relayout::instrument {

/// By parameter of a function's definition: the field that the first call gives it. Accesses
/// through the parameter count for that field; where other calls give it other fields, policy
/// replay knows them by their addresses. Parameters that are given other pointers as well are left
/// out: those may point into arrays of their own.
[[nodiscard]] FieldArguments readFieldArguments(const WalkContext &context);

} // namespace relayout::instrument
