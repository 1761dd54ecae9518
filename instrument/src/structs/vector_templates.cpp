// SPDX-License-Identifier: Apache-2.0
// Finds the instances, and writes their templates' text with the arguments in it.
#include "structs/vector_templates.h"

#include "model/thrust_vectors.h"
#include "model/vector_uses.h"
#include "relayout/instrument/clang/symbols.h"
#include "relayout/instrument/clang/vector_types.h"
#include "structs/library_class.h"
#include "structs/name_text.h"
#include "structs/object_names.h"
#include "structs/split_text.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/QualTypeNames.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// The vectors that a body declares.
class VectorVariables : public clang::DynamicRecursiveASTVisitor {
public:
  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (!record)
      record = elementOfDeviceVector(variable->getType());
    return true;
  }
  const clang::CXXRecordDecl *record = nullptr;
};

const clang::CXXRecordDecl *recordInBodyOf(const clang::FunctionDecl &instance) {
  VectorVariables variables;
  if (instance.hasBody())
    variables.TraverseStmt(instance.getBody());
  return variables.record;
}

const clang::CXXRecordDecl *recordInVectorOf(const clang::CXXRecordDecl &instance) {
  for (const clang::FieldDecl *field : instance.fields())
    if (const clang::CXXRecordDecl *record = elementOfDeviceVector(field->getType()))
      return record;
  return nullptr;
}

/// Written once, for all arguments.
template <class Template> bool isPlainTemplate(const Template &pattern) {
  const bool isOnlyDeclaration =
      pattern.getPreviousDecl() == nullptr && pattern.getMostRecentDecl() == &pattern;
  return isOnlyDeclaration && pattern.isThisDeclarationADefinition() &&
         !pattern.hasAssociatedConstraints() && !pattern.getInstantiatedFromMemberTemplate() &&
         std::ranges::all_of(pattern.specializations(), [](const auto *instance) {
           return instance->getTemplateSpecializationKind() == clang::TSK_ImplicitInstantiation ||
                  instance->getTemplateSpecializationKind() == clang::TSK_Undeclared;
         });
}

/// All of its members are defined between its braces.
bool isWhole(const clang::CXXRecordDecl &pattern) {
  return std::ranges::all_of(pattern.decls(), [&](const clang::Decl *member) {
    if (const auto *inner = dyn_cast<clang::FunctionTemplateDecl>(member))
      member = inner->getTemplatedDecl();
    if (const auto *function = dyn_cast<clang::FunctionDecl>(member)) {
      const clang::FunctionDecl *definition = function->getDefinition();
      return !definition || definition->getLexicalDeclContext() == &pattern;
    }
    const auto *variable = dyn_cast<clang::VarDecl>(member);
    return !clang::isa<clang::FriendDecl>(member) && (!variable || variable->isInline());
  });
}

using ArgumentNames = std::map<std::string, std::string>; ///< by their parameters'

/// Nothing where an argument is neither a type nor a number.
std::optional<ArgumentNames> argumentsOf(const clang::TemplateDecl &pattern,
                                         llvm::ArrayRef<clang::TemplateArgument> arguments) {
  const clang::ASTContext &context = pattern.getASTContext();
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
  InstanceVisitor(ParsedUnit &unit, const std::set<std::string> *only, SplitText &text)
      : unit_(unit), only_(only), text_(text) {}

  bool VisitFunctionTemplateDecl(clang::FunctionTemplateDecl *pattern) override {
    if (!isUsers(unit_, *pattern->getTemplatedDecl()) || !isPlainTemplate(*pattern))
      return true;
    for (const clang::FunctionDecl *instance : pattern->specializations())
      if (isMereCandidate(*instance))
        continue;
      else if (const clang::CXXRecordDecl *record = recordInVectorOf(*instance))
        write(*pattern, *instance, *record, /*isOverload=*/true);
      else if (const clang::CXXRecordDecl *inside = recordInBodyOf(*instance);
               inside && maySpecialise(*pattern))
        write(*pattern, *instance, *inside, /*isOverload=*/false);
    return true;
  }

  bool VisitClassTemplateDecl(clang::ClassTemplateDecl *pattern) override {
    const clang::CXXRecordDecl &written = *pattern->getTemplatedDecl();
    if (!filePlace(unit_, written.getLocation()) || !isPlainTemplate(*pattern) ||
        !isWhole(written) || !pattern->getDeclContext()->isFileContext())
      return true;
    for (const clang::ClassTemplateSpecializationDecl *instance : pattern->specializations())
      if (const clang::CXXRecordDecl *record = recordInVectorOf(*instance);
          record && isWanted(*record))
        specialise(*pattern, *instance, *record);
    return true;
  }

private:
  [[nodiscard]] bool isWanted(const clang::CXXRecordDecl &record) const {
    return obstacleToNaming(record).empty() && (!only_ || only_->contains(traceNameOf(record)));
  }

  /// `template <> class Buffer<R> { … };`
  void specialise(const clang::ClassTemplateDecl &pattern,
                  const clang::ClassTemplateSpecializationDecl &instance,
                  const clang::CXXRecordDecl &record) {
    const clang::CXXRecordDecl &written = *pattern.getTemplatedDecl();
    const auto head = filePlace(unit_, pattern.getTemplateParameters()->getRAngleLoc());
    const auto name = filePlace(unit_, written.getLocation());
    const auto end = behindToken(unit_, written.getBraceRange().getEnd(), clang::tok::semi);
    const std::optional<ArgumentNames> names =
        argumentsOf(pattern, instance.getTemplateArgs().asArray());
    const auto place = placeFor(pattern, written.getBraceRange().getEnd(), record);
    if (!head || !name || head->path != name->path || !end || !names || !place)
      return;
    const std::string &file = text_.textOf(head->path);
    const auto begin = static_cast<unsigned>(file.find_first_not_of(" \t\r\n", head->offset + 1));
    const unsigned behindName =
        name->offset + static_cast<unsigned>(written.getNameAsString().size());
    add(*place, lineAt(file, begin),
        spaceBefore(file, templateBegin(pattern)) + "template <> " +
            file.substr(begin, behindName - begin) + argumentList(pattern, *names) +
            renamed(file.substr(behindName, *end - behindName), *names));
  }

  /// A specialization says neither storage class nor default arguments again.
  static bool maySpecialise(const clang::FunctionTemplateDecl &pattern) {
    const clang::FunctionDecl &function = *pattern.getTemplatedDecl();
    return pattern.getDeclContext()->isFileContext() &&
           function.getStorageClass() == clang::SC_None && !function.isConstexpr() &&
           std::ranges::none_of(function.parameters(), [](const clang::ParmVarDecl *parameter) {
             return parameter->hasDefaultArg();
           });
  }

  /// `inline R *raw(thrust::device_vector<R> &v)`, or `template <> void simulate<float>(int n)`
  /// where what the function is given does not tell.
  void write(const clang::FunctionTemplateDecl &pattern, const clang::FunctionDecl &instance,
             const clang::CXXRecordDecl &record, bool isOverload) {
    const clang::FunctionDecl &function = *pattern.getTemplatedDecl();
    const auto head = filePlace(unit_, pattern.getTemplateParameters()->getRAngleLoc());
    const auto name = filePlace(unit_, function.getLocation());
    const auto last = filePlace(unit_, function.getEndLoc());
    const std::optional<ArgumentNames> names =
        argumentsOf(pattern, instance.getTemplateSpecializationArgs()->asArray());
    const auto place = placeFor(pattern, function.getEndLoc(), record);
    if (!head || !name || !last || head->path != last->path || !names || !place ||
        !isWanted(record))
      return;
    const std::string &file = text_.textOf(head->path);
    const auto begin = static_cast<unsigned>(file.find_first_not_of(" \t\r\n", head->offset + 1));
    const unsigned behindName =
        name->offset + static_cast<unsigned>(function.getNameAsString().size());
    std::string text = renamed(file.substr(begin, behindName - begin), *names) +
                       (isOverload ? "" : argumentList(pattern, *names)) +
                       renamed(file.substr(behindName, last->offset + 1 - behindName), *names);
    if (!function.isCXXClassMember() && !function.isInlineSpecified() &&
        function.getStorageClass() != clang::SC_Static && !function.isConstexpr())
      text.insert(0, "inline ");
    add(*place, lineAt(file, begin),
        spaceBefore(file, templateBegin(pattern)) + (isOverload ? "" : "template <> ") + text);
  }

  static std::string argumentList(const clang::TemplateDecl &pattern, const ArgumentNames &names) {
    std::vector<std::string> arguments;
    for (const clang::NamedDecl *parameter : *pattern.getTemplateParameters())
      arguments.push_back(names.at(parameter->getNameAsString()));
    return fmt::format("<{}>", fmt::join(arguments, ", "));
  }

  /// \param line  of the template
  void add(const TypePlace &place, unsigned line, const std::string &text) {
    if (const auto next = nextLine(text_.textOf(place.path), place.offset))
      text_.insert(place.path, *next, "\n" + text + "\n", line);
    else
      text_.insert(place.path, place.offset, "\n\n" + text + "\n", line);
  }

  unsigned templateBegin(const clang::TemplateDecl &pattern) {
    const auto begin = filePlace(unit_, pattern.getBeginLoc());
    return begin ? begin->offset : 0;
  }

  /// Behind the template, or behind the record where that is defined later.
  /// \param end  of the template, but for a semicolon
  std::optional<TypePlace> placeFor(const clang::TemplateDecl &pattern,
                                    const clang::SourceLocation end,
                                    const clang::CXXRecordDecl &record) {
    if (isVectorType(record) ||
        unit_.sources().isBeforeInTranslationUnit(record.getBraceRange().getEnd(), end)) {
      auto place = filePlace(unit_, end);
      if (place)
        place->offset = behindToken(unit_, end, clang::tok::semi).value_or(place->offset + 1);
      return place;
    }
    if (!pattern.getDeclContext()->isFileContext() || spacesAround(record) != spacesAround(pattern))
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
  const std::set<std::string> *only_;
  SplitText &text_;
};

} // namespace

std::vector<ReplacedText> vectorInstances(const std::vector<ParsedUnit *> &units,
                                          const std::set<std::string> *only) {
  SplitText text(units);
  for (ParsedUnit *unit : units)
    InstanceVisitor(*unit, only, text).TraverseDecl(unit->ast().getTranslationUnitDecl());
  return text.texts().value_or(std::vector<ReplacedText>());
}

} // namespace relayout::instrument
