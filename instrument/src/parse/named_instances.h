// SPDX-License-Identifier: Apache-2.0
// `Complex<double> *values;` in a unit that never looks into one: Clang makes no definition of such
// an instance, which another unit has. What the instance's fields are is known all the same.
#pragma once

#include "relayout/instrument/clang/front_end.h"

#include <clang/AST/ASTConsumer.h>

#include <memory>

namespace relayout::instrument {

/// Defines the instances of the user's class templates that a unit names alone, when all of the
/// unit is read. Its own code is as it was.
[[nodiscard]] std::unique_ptr<clang::ASTConsumer> definingInstances(const ParsedUnit &unit);

} // namespace relayout::instrument
