// SPDX-License-Identifier: Apache-2.0
// How a probe is told of an access to a bit-field, which has no address.
#pragma once

#include "model/probe_points.h"
#include "relayout/instrument/clang/token_edits.h"

#include <optional>

namespace relayout::instrument {

/// \returns  nothing where no probe can be given the object: it is no lvalue, a smart pointer leads
///           to it, it is packed, or a structured binding stands for the bit-field
[[nodiscard]] std::optional<BitFieldAccess> bitFieldAccess(const TokenEdits &tokens,
                                                           const clang::Expr &bitField);

} // namespace relayout::instrument
