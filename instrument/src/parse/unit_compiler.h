// SPDX-License-Identifier: Apache-2.0
// A Clang that reads one unit as its build does, against our CUDA headers or a toolkit's.
#pragma once

#include "relayout/instrument/clang/front_end.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>

#include <memory>

namespace relayout::instrument {

/// \param consumer  of diagnostics; outlives the compiler
/// \returns  up to its target, without a preprocessor; null where the consumer was told why
[[nodiscard]] std::unique_ptr<clang::CompilerInstance>
unitCompiler(const CompileCommand &command, Pass pass, clang::DiagnosticConsumer &consumer);

} // namespace relayout::instrument
