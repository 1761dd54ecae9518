// SPDX-License-Identifier: Apache-2.0
// Edits the classes of deleters; std::unique_ptr takes its pointer's type from them.
#include "rules/deleter_types.h"

#include "relayout/instrument/clang/pointer_owners.h"
#include "rules/declared_type.h"

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

using clang::cast;

/// Where a line that precedes the declaration belongs: above the comment that is above it.
FilePlace aboveComments(const SourceReader &reader, FilePlace place) {
  const std::string &file = reader.fileText(place.path);
  const auto beginOfLine = [&](unsigned at) {
    return at == 0 ? 0U : static_cast<unsigned>(file.rfind('\n', at - 1) + 1);
  };
  while (true) {
    const unsigned line = beginOfLine(place.offset);
    if (line == 0 || file.find_first_not_of(" \t", line) < place.offset)
      return place;
    const std::size_t above = file.find_first_not_of(" \t", beginOfLine(line - 1));
    const bool isComment = file.compare(above, 2, "//") == 0 || file.compare(above, 2, "/*") == 0 ||
                           file[above] == '*';
    if (!isComment)
      return place;
    place.offset = static_cast<unsigned>(above);
  }
}

/// What stands behind text that is inserted at a place, so that what follows keeps its line.
std::string separatorAt(const SourceReader &reader, const FilePlace &place) {
  const std::string &file = reader.fileText(place.path);
  const std::size_t newline =
      place.offset == 0 ? std::string::npos : file.rfind('\n', place.offset - 1);
  const std::size_t line = newline == std::string::npos ? 0 : newline + 1;
  const std::string before = file.substr(line, place.offset - line);
  return before.find_first_not_of(" \t") == std::string::npos ? "\n" + before : " ";
}

class Deleter {
public:
  Deleter(Program &program, const clang::ParmVarDecl &owned, const Target &target)
      : program_(program), owned_(owned), target_(target),
        call_(*cast<clang::CXXMethodDecl>(owned.getDeclContext())->getCanonicalDecl()),
        class_(*call_.getParent()) {}

  void edit() {
    program_.parts[&target_].operations.insert(ViewOperation::Equality); // with null
    const clang::TypedefNameDecl *type = instrument::pointerTypeOf(class_);
    if (!(type ? editType(*type) : addType()))
      program_.findings.refuse(
          {Code::EditInMacro,
           fmt::format("the deleter '{}' is spelled by a macro", class_.getNameAsString()),
           call_.getLocation(), "write the class out"});
  }

private:
  [[nodiscard]] bool editType(const clang::TypedefNameDecl &type) {
    TypeEdits edits =
        rewriter::editType(program_, owned_, readType(type.getTypeSourceInfo()->getTypeLoc()),
                           owned_.getType(), target_);
    const std::optional<FilePlace> place = program_.reader.place(type.getLocation());
    if (edits.refusal) {
      program_.findings.refuse(*edits.refusal);
      return true;
    }
    if (!place || edits.own.failed() || edits.shared.failed())
      return false;
    std::vector<Edit> all = edits.own.take();
    std::vector<Edit> shared = edits.shared.take();
    all.insert(all.end(), shared.begin(), shared.end());
    return add(*place, std::move(all));
  }

  [[nodiscard]] bool addType() {
    const clang::SourceManager &sources = program_.unit.sources();
    // `__host__` and the like are macros: the declaration starts where they are written.
    const std::optional<FilePlace> begin =
        program_.reader.place(sources.getExpansionLoc(call_.getBeginLoc()));
    if (!begin || call_.getLocation().isMacroID())
      return false;
    const FilePlace place = aboveComments(program_.reader, *begin);
    const bool isConst = owned_.getType()->getPointeeType().isConstQualified();
    const std::string view =
        spelledFor(target_, isConst ? target_.names.constView : target_.names.view, &class_);
    return add(place,
               {{FileRange{place, place.offset},
                 fmt::format("using pointer = {};{}", view, separatorAt(program_.reader, place))}});
  }

  [[nodiscard]] bool add(const FilePlace &use, std::vector<Edit> edits) {
    program_.editedFiles[&target_].insert(use.path);
    return program_.editsIn(&class_).add(use, std::move(edits));
  }

  Program &program_;
  const clang::ParmVarDecl &owned_;
  const Target &target_;
  const clang::CXXMethodDecl &call_;
  const clang::CXXRecordDecl &class_;
};

} // namespace

void editDeleters(Program &program) {
  for (const clang::ParmVarDecl *owned : instrument::ownedPointers(program.unit.ast()))
    if (const Target *target = program.targetOf(owned))
      Deleter(program, *owned, *target).edit();
}

} // namespace relayout::rewriter
