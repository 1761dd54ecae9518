// SPDX-License-Identifier: Apache-2.0
// Which arrays kernels are given, for a program that has none whose layout could be chosen.
#include "model/untraced_arrays.h"

#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/vector_types.h"

#include <clang/AST/DeclTemplate.h>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

constexpr std::size_t kMostNotes = 12;

std::string elementName(clang::QualType type) {
  while (type->isPointerType() || type->isArrayType())
    type = type->isPointerType() ? type->getPointeeType()
                                 : type->getAsArrayTypeUnsafe()->getElementType();
  return type.getUnqualifiedType().getAsString();
}

std::string whyUntraced(const UnitReading &unit, const clang::ValueDecl &declaration) {
  if (declaration.hasAttr<clang::CUDAConstantAttr>())
    return "it lies in __constant__ memory, which is not traced: a read there is one address for "
           "the whole warp";
  const ArrayFlow &flow = unit.host.found.flow;
  const std::uint32_t group = flow.groupOf(&declaration);
  if (group == trace::kNone)
    return unit.command.plainArrays ? "elements of this type are neither records nor numbers"
                                    : "its elements are no records, and only those are looked at";
  const ArrayGroup &arrays = flow.groups()[group];
  const std::string why =
      arrays.record && (isScalarRecord(*arrays.record) || isVectorType(*arrays.record))
          ? arrays.whyNotPlain()
          : std::string();
  return why.empty() ? "no kernel accesses an element of it by a name or an index" : why;
}

bool isDataPointer(clang::QualType type) {
  return type->isPointerType() && !type->isFunctionPointerType();
}

class Notes {
public:
  void add(const UnitReading &unit, const clang::ValueDecl &declaration) {
    notes_.push_back(
        {unit.host.unit->place(declaration.getLocation()),
         fmt::format("'{}' ({}): {}", ArrayFlow::nameOf(&declaration),
                     elementName(declaration.getType()), whyUntraced(unit, declaration))});
  }

  /// Of a parameter, or a variable in device memory. Where it is a pointer, or for the pointers in
  /// it if it is a struct.
  void addVariable(const UnitReading &unit, const clang::VarDecl &variable) {
    if (isDataPointer(variable.getType()))
      add(unit, variable);
    const clang::CXXRecordDecl *record = variable.getType()->getAsCXXRecordDecl();
    if (!record || !record->getDefinition())
      return;
    if (isOfLibrary(unit, *record))
      return addLibraryClass(unit, variable);
    for (const clang::FieldDecl *field : record->fields())
      if (isDataPointer(field->getType()))
        add(unit, *field);
  }

  std::vector<Note> take() {
    const auto order = [](const Note &note) {
      return std::tie(note.where.file, note.where.line, note.where.column, note.text);
    };
    std::ranges::sort(notes_, {}, order);
    const auto same = std::ranges::unique(notes_, {}, order);
    notes_.erase(same.begin(), same.end());
    if (notes_.size() > kMostNotes)
      notes_.resize(kMostNotes);
    return std::move(notes_);
  }

private:
  static bool isOfLibrary(const UnitReading &unit, const clang::CXXRecordDecl &record) {
    const clang::SourceManager &sources = unit.host.unit->sources();
    return !unit.host.unit->isUserFile(
        sources.getFileID(sources.getExpansionLoc(record.getLocation())));
  }

  /// `std::span<R>`, with elements behind its first argument.
  void addLibraryClass(const UnitReading &unit, const clang::VarDecl &variable) {
    const auto *instance =
        dyn_cast<clang::ClassTemplateSpecializationDecl>(variable.getType()->getAsCXXRecordDecl());
    const auto isPointer = [](const clang::FieldDecl *field) {
      return isDataPointer(field->getType());
    };
    if (!instance || std::ranges::none_of(instance->fields(), isPointer) ||
        instance->getTemplateArgs().size() == 0 ||
        instance->getTemplateArgs()[0].getKind() != clang::TemplateArgument::Type)
      return;
    notes_.push_back({unit.host.unit->place(variable.getLocation()),
                      fmt::format("'{}' ({}): the pointer in a class of a library's is not "
                                  "followed; pass it as '{} *', or in a class of the program's",
                                  ArrayFlow::nameOf(&variable), variable.getType().getAsString(),
                                  elementName(instance->getTemplateArgs()[0].getAsType()))});
  }

  std::vector<Note> notes_;
};

/// The variables of device memory that stand outside of functions.
template <class Add> void forDeviceVariables(const clang::DeclContext &scope, const Add &add) {
  for (const clang::Decl *declaration : scope.decls()) {
    if (const auto *space = dyn_cast<clang::NamespaceDecl>(declaration))
      forDeviceVariables(*space, add);
    const auto *variable = dyn_cast<clang::VarDecl>(declaration);
    if (variable && (variable->hasAttr<clang::CUDADeviceAttr>() ||
                     variable->hasAttr<clang::CUDAConstantAttr>()))
      add(*variable);
  }
}

} // namespace

std::vector<Note> untracedArrays(const ReadProgram &program) {
  Notes notes;
  for (const auto &unit : program.units) {
    const ReadUnit &read = unit->host;
    for (const auto &[function, index] : read.found.instanceOf)
      if (function->hasAttr<clang::CUDAGlobalAttr>())
        for (const clang::ParmVarDecl *parameter : function->parameters())
          notes.addVariable(*unit, *parameter);
    forDeviceVariables(
        *read.unit->ast().getTranslationUnitDecl(), [&](const clang::VarDecl &variable) {
          const clang::SourceManager &sources = read.unit->sources();
          const clang::SourceLocation where = sources.getExpansionLoc(variable.getLocation());
          if (read.unit->isUserFile(sources.getFileID(where)))
            notes.addVariable(*unit, variable);
        });
    for (const ArrayGroup &group : read.found.flow.groups())
      for (const clang::ValueDecl *declaration : group.declarations)
        if (group.origins.symbol && declaration->getType()->isArrayType())
          notes.add(*unit, *declaration);
  }
  return notes.take();
}

} // namespace relayout::instrument
