// SPDX-License-Identifier: Apache-2.0
// The edits that make a written type a view: `const Particle *p` becomes `ConstParticleView p`.
#pragma once

#include "edits/token_edits.h"
#include "pass/program.h"
#include "rules/written_type.h"

namespace relayout::rewriter {

struct TypeEdits {
  explicit TypeEdits(const SourceReader &reader) : own(reader), shared(reader) {}

  TokenEdits own;                      ///< of the declarator
  TokenEdits shared;                   ///< of the type's name, which other declarators may share
  std::optional<FileRange> base = {};  ///< of the type's name
  std::optional<Refusal> refusal = {}; ///< why the type cannot be edited
};

/// \param held  the pointer or reference that is declared
[[nodiscard]] TypeEdits editType(const Program &program, const clang::DeclaratorDecl &declarator,
                                 const WrittenType &written, clang::QualType held,
                                 const Target &target);

} // namespace relayout::rewriter
