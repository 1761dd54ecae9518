// SPDX-License-Identifier: Apache-2.0
// Function templates over a record, as `template <class T> T *upload(const std::vector<T> &)`: the
// instantiation for a rewritten record becomes a function of its own beside the template.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Finds the instantiations whose declarations become views because of a template's arguments, and
/// refuses those that cannot be written out.
void findTemplateCopies(Program &program);

/// Asks for the instances of the function template around a scope to be written out, where their
/// text cannot serve all of them.
void separateInstances(Program &program, const clang::DeclContext *scope);

/// Writes the copies behind their templates, with all edits of the pass. Last.
void writeTemplateCopies(Program &program);

/// `upload<Particle>(…)`, where the copy is called, is `upload(…)`.
void editTemplateArguments(Program &program, const Naming &naming);

} // namespace relayout::rewriter
