// SPDX-License-Identifier: Apache-2.0
// Macros of the program that are named like something in a generated header.
#include "legality/macro_names.h"

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

/// True for a macro that the program or its command line defines, now or at some time.
bool isOfProgram(const Program &program, const clang::MacroDirective *directive) {
  const clang::SourceManager &sources = program.unit.sources();
  for (; directive; directive = directive->getPrevious())
    if (const clang::MacroInfo *macro = directive->getMacroInfo()) {
      const clang::SourceLocation where = macro->getDefinitionLoc();
      if (where.isValid() && (sources.isWrittenInCommandLineFile(where) ||
                              program.unit.isUserFile(sources.getFileID(where))))
        return true;
    }
  return false;
}

} // namespace

void refuseMacrosOfNames(Program &program) {
  clang::Preprocessor &preprocessor = program.unit.preprocessor();
  std::set<std::string> names;
  for (const auto &[identifier, state] : preprocessor.macros())
    if (isOfProgram(program, preprocessor.getLocalMacroDirectiveHistory(identifier)))
      names.insert(identifier->getName().str());
  for (const auto &[group, target] : program.targets) {
    for (const std::string &operation : {target->names.load, target->names.store})
      if (names.count(operation))
        program.findings.refuse(
            {Code::NameTaken,
             fmt::format("'{}' is a macro, and the view of '{}' has a function of this name",
                         operation, target->shape.name),
             target->record->getLocation(), "rename the macro"});
    program.parts[target].macros = names;
  }
}

} // namespace relayout::rewriter
