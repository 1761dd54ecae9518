// SPDX-License-Identifier: Apache-2.0
// Looks at the record, at names, and at the files of units.
#include "structs/library_class.h"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>

namespace relayout::instrument {

std::string obstacleToNaming(const clang::CXXRecordDecl &record) {
  if (!record.getDeclContext()->isFileContext())
    return "their record is defined inside a class or function";
  const auto *instance = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  if (instance &&
      !std::ranges::all_of(instance->getTemplateArgs().asArray(), [](const auto &argument) {
        return argument.getKind() == clang::TemplateArgument::Integral ||
               (argument.getKind() == clang::TemplateArgument::Type &&
                !argument.getAsType()->getAsTagDecl());
      }))
    return "their record is an instance of a class template that is made of classes";
  if (!record.getIdentifier() && !record.getTypedefNameForAnonDecl())
    return "their record has no name";
  return {};
}

bool isNameIn(const std::vector<ParsedUnit *> &units, const std::string &name) {
  return std::ranges::any_of(units, [&](ParsedUnit *unit) {
    const clang::IdentifierTable &table = unit->preprocessor().getIdentifierTable();
    return table.find(name) != table.end();
  });
}

bool haveOneClassEach(const std::map<ParsedUnit *, TypePlace> &placeOf) {
  for (const auto &[unit, own] : placeOf) {
    std::set<TypePlace> seen;
    for (const SourceText &file : unit->userSources().files)
      for (const auto &[other, place] : placeOf)
        if (place.path == file.originalPath)
          seen.insert(place);
    if (seen.size() != 1)
      return false;
  }
  return true;
}

std::set<std::string> usefulClasses(const std::vector<SharedHolder> &holders,
                                    const std::vector<ArrayFlow> & /*flows*/) {
  std::set<std::string> useful;
  for (const SharedHolder &holder : holders)
    if (!holder.deviceName.empty())
      useful.insert(holder.name);
  return useful;
}

} // namespace relayout::instrument
