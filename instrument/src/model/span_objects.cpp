// SPDX-License-Identifier: Apache-2.0
// Goes down into expressions as far as spans, and pointers into the same arrays, come from there.
#include "model/span_objects.h"

#include "model/referents.h"
#include "relayout/instrument/clang/compatibility.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;

class SpanNames : public clang::DynamicRecursiveASTVisitor {
public:
  TypeNames names;

  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc type) override {
    const clang::TemplateDecl *named = type.getTypePtr()->getTemplateName().getAsTemplateDecl();
    if (type.getType()->isDependentType()) {
      if (named && isSpanTemplate(*named))
        names.dependent.push_back(type.getTemplateNameLoc());
    } else if (const std::optional<SpanType> span = spanTypeOf(type.getType())) {
      names.spans.push_back({type.getTemplateNameLoc(), true, span});
    }
    return true;
  }

  bool VisitDeducedTemplateSpecializationTypeLoc(
      clang::DeducedTemplateSpecializationTypeLoc type) override {
    const clang::TemplateDecl *named = type.getTypePtr()->getTemplateName().getAsTemplateDecl();
    if (named && isSpanTemplate(*named))
      names.spans.push_back({type.getTemplateNameLoc(), false, std::nullopt});
    return true;
  }

  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc type) override {
    names.aliases.push_back(compatibility::declarationOf(type));
    return true;
  }
};

} // namespace

TypeNames namesIn(clang::TypeLoc type) {
  SpanNames visitor;
  if (type)
    visitor.TraverseTypeLoc(type);
  return std::move(visitor.names);
}

std::string spanObjectOf(std::uint32_t group) { return fmt::format("array {}", group); }

std::string SpanObjects::at(clang::SourceLocation where) const {
  const clang::SourceManager &sources = unit_.sources();
  const auto [file, offset] = sources.getDecomposedLoc(sources.getExpansionLoc(where));
  return fmt::format("{}@{}", unit_.pathOf(file), offset);
}

bool SpanObjects::hold(clang::QualType type) const { return holdsSpans(type, element_); }

bool SpanObjects::isSpan(clang::QualType type) const {
  const std::optional<SpanType> span = spanTypeOf(type);
  return span && span->element == &element_;
}

bool SpanObjects::isUsers(const clang::Decl &declaration) const {
  const clang::SourceManager &sources = unit_.sources();
  return declaration.getLocation().isValid() &&
         unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(declaration.getLocation())));
}

bool SpanObjects::leadsToRecords(clang::QualType type) const {
  const RecordType target = recordTypeOf(type);
  return target.indirect && target.record == element_.getCanonicalDecl();
}

std::string SpanObjects::of(const clang::NamedDecl &declaration) const {
  if (const auto *alias = dyn_cast<clang::TypedefNameDecl>(&declaration))
    return hold(alias->getUnderlyingType()) && isUsers(*alias) ? at(alias->getLocation())
                                                               : std::string();
  const auto *value = dyn_cast<clang::ValueDecl>(&declaration);
  if (!value || !isUsers(*value))
    return {};
  const auto *function = dyn_cast<clang::FunctionDecl>(value);
  const clang::QualType type = function ? function->getReturnType() : value->getType();
  if (hold(type))
    return at(value->getLocation());
  if (!leadsToRecords(type))
    return {};
  const std::uint32_t group = flow_.groupOf(value);
  return group == trace::kNone ? std::string() : spanObjectOf(group);
}

std::set<std::string> SpanObjects::in(const clang::Expr *expression) const {
  std::set<std::string> objects;
  add(expression, objects);
  return objects;
}

void SpanObjects::addAll(const clang::Stmt &statement, std::set<std::string> &objects) const {
  for (const clang::Stmt *child : statement.children())
    add(dyn_cast_or_null<clang::Expr>(child), objects);
}

void SpanObjects::add(const clang::Expr *expression, std::set<std::string> &objects) const {
  if (!expression || expression->getType()->isArithmeticType())
    return;
  expression = expression->IgnoreParens();
  const auto note = [&](std::string object) {
    if (!object.empty())
      objects.insert(std::move(object));
  };
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(expression))
    return note(of(*name->getDecl()));
  if (const auto *member = dyn_cast<clang::MemberExpr>(expression)) {
    if (isUsers(*member->getMemberDecl()))
      return note(of(*member->getMemberDecl()));
    return add(member->getBase(), objects);
  }
  if (isa<clang::LambdaExpr, clang::CXXNewExpr, clang::CXXDefaultArgExpr>(expression))
    return;
  if (const auto *call = dyn_cast<clang::CallExpr>(expression))
    return addCall(*call, objects);
  if (const auto *conditional = dyn_cast<clang::ConditionalOperator>(expression)) {
    add(conditional->getTrueExpr(), objects);
    return add(conditional->getFalseExpr(), objects);
  }
  if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(expression))
    return add(subscript->getBase(), objects);
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(expression)) {
    if (binary->getOpcode() != clang::BO_Comma)
      add(binary->getLHS(), objects);
    if (!binary->isAssignmentOp())
      add(binary->getRHS(), objects);
    return;
  }
  const auto *construction = dyn_cast<clang::CXXConstructExpr>(expression);
  if (construction && isUsers(*construction->getConstructor()) && !hold(construction->getType()))
    return; // its parameters are looked at by themselves
  if (construction && isSpan(construction->getType()))
    note(made(*construction));
  const auto *cast = dyn_cast<clang::ExplicitCastExpr>(expression);
  const auto *temporary = dyn_cast<clang::CXXTemporaryObjectExpr>(expression);
  const clang::TypeSourceInfo *written = cast        ? cast->getTypeInfoAsWritten()
                                         : temporary ? temporary->getTypeSourceInfo()
                                                     : nullptr;
  if (written && hold(expression->getType())) {
    note(made(*expression));
    const TypeNames names = namesIn(written->getTypeLoc());
    for (const TypeNames::Name &name : names.spans)
      note(at(name.place));
    for (const clang::NamedDecl *alias : names.aliases)
      note(of(*alias));
  }
  addAll(*expression, objects);
}

void SpanObjects::addCall(const clang::CallExpr &call, std::set<std::string> &objects) const {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (callee && isUsers(*callee)) {
    if (const std::string object = of(*callee); !object.empty())
      objects.insert(object);
    return;
  }
  if (const auto *method = dyn_cast<clang::CXXMemberCallExpr>(&call))
    add(method->getImplicitObjectArgument(), objects);
  for (const clang::Expr *argument : call.arguments())
    if (hold(argument->getType()))
      add(argument, objects);
}

} // namespace relayout::instrument
