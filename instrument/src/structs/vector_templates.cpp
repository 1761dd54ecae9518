// SPDX-License-Identifier: Apache-2.0
// Finds the instances, and writes their templates' text with the arguments in it.
#include "structs/vector_templates.h"

#include "model/thrust_vectors.h"
#include "relayout/instrument/clang/vector_types.h"
#include "structs/library_class.h"
#include "structs/name_text.h"
#include "structs/object_names.h"
#include "structs/split_text.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/QualTypeNames.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

/// The record of the vector that an instance is given; null where there is none.
const clang::CXXRecordDecl *recordInVectorOf(const clang::FunctionDecl &instance) {
  for (const clang::ParmVarDecl *parameter : instance.parameters())
    if (const clang::CXXRecordDecl *record = elementOfDeviceVector(parameter->getType()))
      return record;
  return nullptr;
}

/// Written once, for all arguments.
bool isPlainTemplate(const clang::FunctionTemplateDecl &pattern) {
  const bool isOnlyDeclaration =
      pattern.getPreviousDecl() == nullptr && pattern.getMostRecentDecl() == &pattern;
  return isOnlyDeclaration && pattern.isThisDeclarationADefinition() &&
         !pattern.hasAssociatedConstraints() && !pattern.getInstantiatedFromMemberTemplate() &&
         std::ranges::all_of(pattern.specializations(), [](const clang::FunctionDecl *instance) {
           return instance->getTemplateSpecializationKind() == clang::TSK_ImplicitInstantiation;
         });
}

using ArgumentNames = std::map<std::string, std::string>; ///< by their parameters'

/// Nothing where an argument is neither a type nor a number.
std::optional<ArgumentNames> argumentsOf(const clang::FunctionTemplateDecl &pattern,
                                         const clang::FunctionDecl &instance) {
  const clang::ASTContext &context = pattern.getASTContext();
  const llvm::ArrayRef<clang::TemplateArgument> arguments =
      instance.getTemplateSpecializationArgs()->asArray();
  const clang::TemplateParameterList &parameters = *pattern.getTemplateParameters();
  ArgumentNames names;
  for (unsigned i = 0; i < parameters.size(); ++i) {
    std::string &name = names[parameters.getParam(i)->getNameAsString()];
    if (arguments[i].getKind() == clang::TemplateArgument::Type)
      name = clang::TypeName::getFullyQualifiedName(arguments[i].getAsType(), context,
                                                    context.getPrintingPolicy());
    else if (arguments[i].getKind() == clang::TemplateArgument::Integral)
      name = std::to_string(arguments[i].getAsIntegral().getExtValue());
    else
      return std::nullopt;
  }
  return names;
}

class InstanceVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  InstanceVisitor(ParsedUnit &unit, SplitText &text) : unit_(unit), text_(text) {}

  bool VisitFunctionTemplateDecl(clang::FunctionTemplateDecl *pattern) override {
    if (!isUsers(unit_, *pattern->getTemplatedDecl()) || !isPlainTemplate(*pattern))
      return true;
    for (const clang::FunctionDecl *instance : pattern->specializations())
      if (const clang::CXXRecordDecl *record = recordInVectorOf(*instance);
          record && obstacleToNaming(*record).empty())
        write(*pattern, *instance, *record);
    return true;
  }

private:
  void write(const clang::FunctionTemplateDecl &pattern, const clang::FunctionDecl &instance,
             const clang::CXXRecordDecl &record) {
    const auto head = filePlace(unit_, pattern.getTemplateParameters()->getRAngleLoc());
    const auto last = filePlace(unit_, pattern.getTemplatedDecl()->getEndLoc());
    const std::optional<ArgumentNames> names = argumentsOf(pattern, instance);
    const std::optional<TypePlace> place = placeFor(pattern, record);
    if (!head || !last || head->path != last->path || !names || !place)
      return;
    const std::string &file = text_.textOf(head->path);
    const auto begin = static_cast<unsigned>(file.find_first_not_of(" \t\r\n", head->offset + 1));
    std::string overload = renamed(file.substr(begin, last->offset + 1 - begin), *names);
    const clang::FunctionDecl &function = *pattern.getTemplatedDecl();
    if (!function.isCXXClassMember() && !function.isInlineSpecified() &&
        function.getStorageClass() != clang::SC_Static && !function.isConstexpr())
      overload.insert(0, "inline ");
    const std::string &around = text_.textOf(place->path);
    const std::string lines = "\n" + spaceBefore(file, templateBegin(pattern)) + overload;
    if (const auto next = nextLine(around, place->offset))
      text_.insert(place->path, *next, lines + "\n", lineAt(file, begin));
    else
      text_.insert(place->path, place->offset, "\n" + lines + "\n", lineAt(file, begin));
  }

  unsigned templateBegin(const clang::FunctionTemplateDecl &pattern) {
    const auto begin = filePlace(unit_, pattern.getBeginLoc());
    return begin ? begin->offset : 0;
  }

  /// Behind the template, or behind the record where that is defined later.
  std::optional<TypePlace> placeFor(const clang::FunctionTemplateDecl &pattern,
                                    const clang::CXXRecordDecl &record) {
    const clang::SourceLocation end = pattern.getTemplatedDecl()->getEndLoc();
    if (isVectorType(record) ||
        unit_.sources().isBeforeInTranslationUnit(record.getBraceRange().getEnd(), end)) {
      auto place = filePlace(unit_, end);
      if (place)
        ++place->offset;
      return place;
    }
    if (pattern.getTemplatedDecl()->isCXXClassMember() ||
        spacesAround(record) != spacesAround(pattern))
      return std::nullopt;
    const clang::TypedefNameDecl *named = record.getTypedefNameForAnonDecl();
    const clang::SourceLocation defined =
        named ? named->getEndLoc() : record.getBraceRange().getEnd();
    auto place = filePlace(unit_, defined);
    const auto behind = behindToken(unit_, defined, clang::tok::semi);
    if (!place || !behind)
      return std::nullopt;
    place->offset = *behind;
    return place;
  }

  ParsedUnit &unit_;
  SplitText &text_;
};

} // namespace

std::vector<ReplacedText> vectorInstances(const std::vector<ParsedUnit *> &units) {
  SplitText text(units);
  for (ParsedUnit *unit : units)
    InstanceVisitor(*unit, text).TraverseDecl(unit->ast().getTranslationUnitDecl());
  return text.texts().value_or(std::vector<ReplacedText>());
}

} // namespace relayout::instrument
