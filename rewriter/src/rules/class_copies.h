// SPDX-License-Identifier: Apache-2.0
// Class templates that hold arrays, as `template <class T> class DeviceBuffer`: the instance for a
// rewritten record becomes an explicit specialization.
#pragma once

#include "pass/program.h"

#include <clang/AST/DeclTemplate.h>

#include <string>

namespace relayout::rewriter {

/// Why the instance cannot be written out; empty where it can.
[[nodiscard]] std::string
obstacleToClassCopy(const clang::ClassTemplateSpecializationDecl &instance);

/// Writes the specialization behind the template, or behind the header of the record. Members that
/// nothing uses are declared alone: their code was never read with these arguments.
void writeClassCopy(Program &program, const clang::ClassTemplateSpecializationDecl &instance,
                    EditSet &edits);

} // namespace relayout::rewriter
