// SPDX-License-Identifier: Apache-2.0
// Writes instances of class templates out.
#include "rules/class_copies.h"

#include "legality/template_arguments.h"
#include "rules/copied_text.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Members that a value of a member starts from.
class MemberUse : public clang::DynamicRecursiveASTVisitor {
public:
  bool VisitMemberExpr(clang::MemberExpr *) override { return !(found = true); }
  bool VisitCXXDependentScopeMemberExpr(clang::CXXDependentScopeMemberExpr *) override {
    return !(found = true);
  }
  bool found = false;
};

/// The parameters of the class in the text of a member.
class ClassParameters : public clang::DynamicRecursiveASTVisitor {
public:
  bool VisitTemplateTypeParmTypeLoc(clang::TemplateTypeParmTypeLoc name) override {
    found |= name.getTypePtr()->getDepth() == 0;
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    const auto *parameter = dyn_cast<clang::NonTypeTemplateParmDecl>(name->getDecl());
    found |= parameter && parameter->getDepth() == 0;
    return true;
  }
  bool found = false;
};

/// `template <class U> Span(const Span<U> &other)`: its text is the same in all instances.
bool isOfOthers(const clang::Decl &member) {
  const auto *described = dyn_cast<clang::FunctionTemplateDecl>(&member);
  const clang::FunctionDecl *function = described ? described->getTemplatedDecl() : nullptr;
  if (!function || !function->doesThisDeclarationHaveABody())
    return false;
  ClassParameters parameters;
  parameters.TraverseDecl(const_cast<clang::FunctionTemplateDecl *>(described));
  return !parameters.found;
}

/// `friend void swap(Buffer &a, Buffer &b) { … }`, `friend class Pool;`
bool isWhole(const clang::FriendDecl &befriended) {
  if (const clang::TypeSourceInfo *type = befriended.getFriendType())
    return !type->getType()->isDependentType();
  const auto *function = dyn_cast_or_null<clang::FunctionDecl>(befriended.getFriendDecl());
  return function && function->isThisDeclarationADefinition();
}

/// `static constexpr int kWidth = W;`
bool isConstant(const clang::VarDecl &variable) {
  return variable.isConstexpr() && variable.hasInit() &&
         (variable.getType()->getContainedAutoType() || !variable.getType()->isDependentType());
}

std::string obstacleToMember(const clang::Decl &member) {
  if (const auto *other = dyn_cast<clang::FriendDecl>(&member); other && !isWhole(*other))
    return "has friends that are templates, or are defined outside of it";
  if (isa<clang::TemplateDecl>(member) && !isOfOthers(member))
    return "has members that are templates and name its parameters";
  if (const auto *variable = dyn_cast<clang::VarDecl>(&member))
    return isConstant(*variable) ? "" : "has static members that are no constants";
  if (isa<clang::RecordDecl>(member) && !member.isImplicit())
    return "has classes of its own";
  if (const auto *field = dyn_cast<clang::FieldDecl>(&member)) {
    MemberUse use;
    if (field->hasInClassInitializer())
      use.TraverseStmt(field->getInClassInitializer());
    return use.found ? "has members that start as the value of others" : "";
  }
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&member);
  if (method && method->isVirtual())
    return "has virtual functions";
  if (method && method->getTrailingRequiresClause())
    return "has members with a requires clause";
  if (method && method->getDefinition() && method->getDefinition() != method)
    return "has members that are defined outside of it";
  return {};
}

class ClassCopyWriter : CopiedText {
public:
  ClassCopyWriter(Program &program, const clang::ClassTemplateSpecializationDecl &instance,
                  EditSet &edits)
      : CopiedText(program, instance, edits), class_(instance) {}

  void write() {
    const clang::SourceLocation brace =
        clang::cast<clang::CXXRecordDecl>(pattern_).getBraceRange().getEnd();
    const std::optional<clang::SourceLocation> end = reader_.spelled(brace);
    const std::optional<clang::Token> behind = end ? reader_.tokenAfter(*end) : std::nullopt;
    const std::optional<FileRange> range =
        behind && reader_.text(*behind) == ";" ? rangeTo(behind->getLocation()) : std::nullopt;
    const std::optional<FileRange> name = reader_.tokenRange(pattern_.getLocation());
    if (!range || !name)
      return refuse("is spelled by a macro", "write the template out");
    if (!findUnused())
      return refuse("has a member that is spelled by a macro", "write the member out");
    if (!dropDiscarded())
      return refuse("has an `if constexpr` that is spelled by a macro", "write the template out");
    const auto arguments = class_.getTemplateArgs().asArray();
    if (const std::string obstacle = nameParameters(arguments); !obstacle.empty())
      return refuse(obstacle, "write the types out");
    const CodePlace place = placeBehind(*range, brace);
    const std::string scope = namespaces().substr(place.namespaces.size());
    if (!edits_.add(name->begin, {{*name, scope + pattern_.getNameAsString() +
                                              spelledList(arguments, program_.unit.ast())}}))
      return refuse("has two edits of its name", "write the instance out");
    add(*range, place.place, place.closing + "template <> ", place.opening);
  }

private:
  /// The code of members that the program never instantiates is left out.
  [[nodiscard]] bool findUnused() {
    return std::ranges::all_of(
               class_.methods(),
               [this](const clang::FunctionDecl *method) { return leaveOutUnused(*method); }) &&
           std::ranges::all_of(class_.friends(), [this](const clang::FriendDecl *befriended) {
             const auto *function =
                 dyn_cast_or_null<clang::FunctionDecl>(befriended->getFriendDecl());
             return !function || leaveOutUnused(*function);
           });
  }

  [[nodiscard]] bool leaveOutUnused(const clang::FunctionDecl &function) {
    const clang::FunctionDecl *written = function.getTemplateInstantiationPattern();
    if (function.isImplicit() || function.hasBody() || !written ||
        !written->doesThisDeclarationHaveABody() || written->isDefaulted())
      return true;
    const std::optional<FileRange> code = codeOf(*written);
    if (code)
      unused_.insert(*code);
    return code.has_value();
  }

  /// A function's body, with the initializers in front of it and the spaces before.
  [[nodiscard]] std::optional<FileRange> codeOf(const clang::FunctionDecl &function) const {
    const clang::SourceManager &sources = program_.unit.sources();
    std::optional<FilePlace> begin = reader_.place(function.getBody()->getBeginLoc());
    const std::optional<FileRange> end = reader_.tokenRange(function.getBody()->getEndLoc());
    const clang::FunctionTypeLoc type = function.getFunctionTypeLoc();
    if (!begin || !end || !type || begin->path != end->begin.path)
      return std::nullopt;
    if (isa<clang::CXXConstructorDecl>(function)) { // the colon, if there is one
      std::optional<clang::Token> token = reader_.tokenAfter(type.getRParenLoc());
      while (token &&
             sources.isBeforeInTranslationUnit(token->getLocation(),
                                               function.getBody()->getBeginLoc()) &&
             token->isNot(clang::tok::colon))
        token = reader_.tokenAfter(token->getLocation());
      if (token && token->is(clang::tok::colon))
        if (const std::optional<FilePlace> colon = reader_.place(token->getLocation());
            colon && *colon < *begin)
          begin = colon;
    }
    const std::string &file = reader_.fileText(begin->path);
    while (begin->offset > 0 && (file[begin->offset - 1] == ' ' || file[begin->offset - 1] == '\n'))
      --begin->offset;
    return FileRange{*begin, end->end};
  }

  const clang::ClassTemplateSpecializationDecl &class_;
};

} // namespace

std::string obstacleToClassCopy(const clang::ClassTemplateSpecializationDecl &instance) {
  const clang::CXXRecordDecl *pattern = instance.getTemplateInstantiationPattern();
  const clang::ClassTemplateDecl *described =
      pattern ? pattern->getDescribedClassTemplate() : nullptr;
  if (!described || instance.getSpecializationKind() != clang::TSK_ImplicitInstantiation ||
      !pattern->getDeclContext()->getRedeclContext()->isFileContext())
    return "is no plain class template";
  // In a template, names are not looked for in such a base; in the copy they would be.
  if (pattern->hasAnyDependentBases())
    return "has base classes that depend on its parameters";
  for (const clang::Decl *member : pattern->decls())
    if (std::string obstacle = obstacleToMember(*member); !obstacle.empty())
      return obstacle;
  return obstacleInside(*pattern);
}

void writeClassCopy(Program &program, const clang::ClassTemplateSpecializationDecl &instance,
                    EditSet &edits) {
  ClassCopyWriter(program, instance, edits).write();
}

} // namespace relayout::rewriter
