// SPDX-License-Identifier: Apache-2.0
// Reads a method's body for what depends on the class around it.
#include "structs/method_body.h"

#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace relayout::instrument {

using clang::dyn_cast;
using clang::isa;

std::string symbolOfMethod(ParsedUnit &unit, const clang::CXXMethodDecl &method) {
  return symbolOf(unit, method.getCanonicalDecl());
}

MethodCall methodCallOf(ParsedUnit &unit, const clang::CXXMemberCallExpr &call,
                        const Methods &methods) {
  const auto *member = dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParens());
  const auto *method = call.getMethodDecl();
  const auto found = method && member && isUsers(unit, *method)
                         ? methods.find(symbolOfMethod(unit, *method))
                         : methods.end();
  return found == methods.end() ? MethodCall() : MethodCall{&call, member, &found->second};
}

std::optional<unsigned> argumentsOf(const std::string &file, const TypePlace &name,
                                    std::size_t nameLength) {
  const std::size_t open = file.find_first_not_of(" \t\n", name.offset + nameLength);
  return open != std::string::npos && file[open] == '('
             ? std::optional(static_cast<unsigned>(open) + 1)
             : std::nullopt;
}

bool hasArguments(const clang::CallExpr &call) {
  return call.getNumArgs() > 0 && !isa<clang::CXXDefaultArgExpr>(call.getArg(0));
}

namespace {

/// What a method's text has to say otherwise outside of its class.
class BodyChanges : public clang::DynamicRecursiveASTVisitor {
public:
  BodyChanges(ParsedUnit &unit, const clang::CXXMethodDecl &method, const Methods &methods,
              const std::string &file, std::string object, Changes changes)
      : unit_(unit), record_(*method.getParent()), methods_(methods), file_(file),
        object_(std::move(object)), changes(std::move(changes)) {
    TraverseDecl(const_cast<clang::CXXMethodDecl *>(&method));
  }

  bool VisitLambdaExpr(clang::LambdaExpr *) override { return !(isImpossible = true); }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    isImpossible |= variable->isStaticLocal();
    return true;
  }

  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr *call) override {
    const auto [known, member, method] = methodCallOf(unit_, *call, methods_);
    if (!known)
      return true;
    const auto *self = dyn_cast<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts());
    const auto name = filePlace(unit_, member->getMemberLoc());
    if (!self)
      return true;
    const auto begin = self->isImplicit() ? name : filePlace(unit_, self->getBeginLoc());
    const auto open =
        name ? argumentsOf(file_, *name, member->getMemberDecl()->getName().size()) : std::nullopt;
    if (!begin || !open)
      return !(isImpossible = true);
    called.insert(method->symbol);
    change(*begin, *open,
           fmt::format("{}({}{}", method->function, object_, hasArguments(*call) ? ", " : ""));
    known_.insert(member);
    known_.insert(self);
    return true;
  }

  bool VisitMemberExpr(clang::MemberExpr *member) override {
    const auto *self = dyn_cast<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts());
    if (!self || known_.contains(member))
      return true;
    // Views show all fields.
    isImpossible |= member->getMemberDecl()->getAccess() != clang::AS_public &&
                    !isa<clang::FieldDecl>(member->getMemberDecl());
    const auto name = filePlace(unit_, member->getMemberLoc());
    const auto begin = self->isImplicit() ? name : filePlace(unit_, self->getBeginLoc());
    if (!name || !begin)
      return !(isImpossible = true);
    change(*begin, name->offset, object_ + ".");
    known_.insert(self);
    return true;
  }

  bool VisitUnaryOperator(clang::UnaryOperator *unary) override {
    const auto *self =
        unary->getOpcode() == clang::UO_Deref
            ? dyn_cast<clang::CXXThisExpr>(unary->getSubExpr()->IgnoreParenImpCasts())
            : nullptr;
    const auto begin = self ? filePlace(unit_, unary->getBeginLoc()) : std::nullopt;
    if (!self)
      return true;
    const auto end = filePlace(unit_, unary->getEndLoc());
    if (!begin || !end)
      return !(isImpossible = true);
    change(*begin, end->offset + kThis, object_);
    known_.insert(self);
    return true;
  }

  bool VisitCXXThisExpr(clang::CXXThisExpr *self) override {
    if (known_.contains(self))
      return true;
    const auto begin = filePlace(unit_, self->getBeginLoc());
    if (!begin || self->isImplicit())
      return !(isImpossible = true);
    change(*begin, begin->offset + kThis, "&" + object_);
    return true;
  }

  /// Static members and constants of the class.
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    const clang::DeclContext *scope = name->getDecl()->getDeclContext();
    if (isa<clang::EnumDecl>(scope))
      scope = scope->getParent();
    if (name->hasQualifier() || !scope->isRecord() || !isOfClass(*scope))
      return true;
    const auto begin = filePlace(unit_, name->getBeginLoc());
    isImpossible |= !begin || name->getDecl()->getAccess() == clang::AS_private ||
                    name->getDecl()->getAccess() == clang::AS_protected;
    if (begin)
      change(*begin, begin->offset, record_.getNameAsString() + "::");
    return true;
  }

  bool VisitTypeLoc(clang::TypeLoc type) override {
    const clang::Decl *named = nullptr;
    if (const auto tag = type.getAs<clang::TagTypeLoc>())
      named = tag.getDecl();
    else if (const auto alias = type.getAs<clang::TypedefTypeLoc>())
      named = alias.getDecl();
    isImpossible |=
        named && named->getDeclContext()->isRecord() && isOfClass(*named->getDeclContext());
    return true;
  }

private:
  static constexpr unsigned kThis = std::string_view("this").size();

  [[nodiscard]] bool isOfClass(const clang::DeclContext &scope) const {
    const auto *other = dyn_cast<clang::CXXRecordDecl>(&scope);
    return other && (other->getCanonicalDecl() == record_.getCanonicalDecl() ||
                     (other->getDefinition() &&
                      record_.getDefinition()->isDerivedFrom(other->getDefinition())));
  }

  /// Behind what a call has there already: `add(` and then its object.
  void change(const TypePlace &begin, unsigned end, std::string text) {
    const auto [entry, isNew] = changes.try_emplace(begin.offset, end, text);
    if (!isNew)
      entry->second = {std::max(entry->second.first, end), entry->second.second + text};
  }

  ParsedUnit &unit_;
  const clang::CXXRecordDecl &record_;
  const Methods &methods_;
  const std::string &file_;
  std::string object_;
  std::set<const clang::Expr *> known_;

public:
  Changes changes;
  std::set<std::string> called; ///< methods of the same object that become functions
  bool isImpossible = false;
};

} // namespace

std::optional<MethodBody> bodyOutside(ParsedUnit &unit, const clang::CXXMethodDecl &method,
                                      const Methods &methods, const std::string &file,
                                      std::string object, Changes changes) {
  BodyChanges body(unit, method, methods, file, std::move(object), std::move(changes));
  if (body.isImpossible)
    return std::nullopt;
  return MethodBody{std::move(body.changes), std::move(body.called)};
}

} // namespace relayout::instrument
