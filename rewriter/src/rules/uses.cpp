// SPDX-License-Identifier: Apache-2.0
// The climb from the names of rewritten arrays through pointers to elements.
#include "rules/uses.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

bool isKeptReference(const clang::ValueDecl *declaration) {
  const clang::QualType type = declaration->getType();
  return isa<clang::ParmVarDecl>(declaration) && type->isLValueReferenceType() &&
         type.getNonReferenceType()->isRecordType() &&
         type.getNonReferenceType().isConstQualified() &&
         !type.getNonReferenceType().isVolatileQualified();
}

std::string spelledFor(const Target &target, const std::string &name,
                       const clang::DeclContext *user) {
  const clang::DeclContext *home =
      target.record->getDeclContext()->getEnclosingNamespaceContext()->getPrimaryContext();
  for (const clang::DeclContext *scope = user; scope; scope = scope->getParent())
    if (scope->getPrimaryContext() == home)
      return name;
  std::string qualified;
  for (const std::string &space : target.shape.namespaces)
    if (!space.empty())
      qualified += space + "::";
  return qualified + name;
}

bool isUsers(const Program &program, const clang::Decl &declaration) {
  const clang::SourceManager &sources = program.unit.sources();
  return declaration.getLocation().isValid() &&
         program.unit.isUserFile(
             sources.getFileID(sources.getExpansionLoc(declaration.getLocation())));
}

std::string runtimeName(const Program &program, const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee || !callee->getDeclName().isIdentifier() || isUsers(program, *callee))
    return {};
  return callee->getName().str();
}

const clang::ParmVarDecl *parameterFor(const clang::CallExpr &call, const clang::Expr &argument) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee)
    return nullptr;
  const auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
  const unsigned objects =
      isa<clang::CXXOperatorCallExpr>(call) && method && method->isInstance() ? 1 : 0;
  for (unsigned i = objects; i < call.getNumArgs(); ++i)
    if (call.getArg(i) == &argument)
      return i - objects < callee->getNumParams() ? callee->getParamDecl(i - objects) : nullptr;
  return nullptr;
}

void rewriteUses(Program &program) { UseRewriter(program).run(); }

void UseRewriter::run() {
  for (const Naming &naming : program_.index.namings()) {
    const clang::ValueDecl *named = nullptr;
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(naming.expression))
      named = name->getDecl();
    else if (const auto *member = dyn_cast<clang::MemberExpr>(naming.expression))
      named = member->getMemberDecl();
    else if (const auto *call = dyn_cast<clang::CallExpr>(naming.expression)) {
      if (const clang::FunctionDecl *callee = call->getDirectCallee())
        if (const Target *target = program_.targetOf(callee))
          rewrite(naming, *target);
      continue;
    }
    if (isa<clang::FunctionDecl>(named)) {
      checkFunctionName(naming);
      continue;
    }
    if (const Target *target = program_.targetOf(named); target && !isKeptReference(named))
      rewrite(naming, *target);
  }
  checkSnapshots();
  for (const auto &[place, use] : patternUses_)
    if (!consumed_.count(place) && program_.findings.empty())
      program_.findings.refuse(
          Code::TemplateDecidesType,
          fmt::format("arrays of '{}' are used in a template that is never instantiated here",
                      use.first),
          use.second, "remove the template or use it");
}

void UseRewriter::rewrite(const Naming &naming, const Target &target) {
  const clang::SourceLocation location =
      isa<clang::CallExpr>(naming.expression)
          ? cast<clang::CallExpr>(naming.expression)->getCallee()->getExprLoc()
          : naming.expression->getExprLoc();
  Use use{naming.expression, &target, naming.function, {}, false};
  const std::optional<FilePlace> place = reader_.place(location);
  if (!place)
    return refuseMacro(use, location);
  if (naming.isDependent) {
    patternUses_.emplace(*place, std::pair(target.shape.name, location));
    return;
  }
  if (naming.expression->getType()->isRecordType())
    element(use, {Element::Form::Reference,
                  naming.expression,
                  naming.expression,
                  {},
                  naming.expression->getType().isConstQualified()});
  else
    pointer(use, naming.expression);
  consumed_.insert(*place);
  if (!use.refused && !program_.edits.add(*place, std::move(use.edits)))
    refuse(use, Code::ConflictingEdits, "one name would have to be edited in two ways", location,
           "it stands in a macro argument or a template that is used in different ways; write the "
           "uses out");
}

/// A function whose type changes may only be called, or named to the CUDA runtime.
void UseRewriter::checkFunctionName(const Naming &naming) {
  const clang::ValueDecl *named = isa<clang::DeclRefExpr>(naming.expression)
                                      ? cast<clang::DeclRefExpr>(naming.expression)->getDecl()
                                      : cast<clang::MemberExpr>(naming.expression)->getMemberDecl();
  const auto *function = cast<clang::FunctionDecl>(named);
  const Target *target = program_.targetOf(function);
  for (const clang::ParmVarDecl *parameter : function->parameters())
    if (!isKeptReference(parameter) && program_.targetOf(parameter))
      target = program_.targetOf(parameter);
  if (!target || naming.isDependent)
    return;
  const clang::Stmt *current = naming.expression;
  while (true) {
    const clang::Stmt *parent = program_.index.parentOf(current).stmt;
    if (const auto *call = dyn_cast_or_null<clang::CallExpr>(parent)) {
      const std::string name = runtimeName(program_, *call);
      if (call->getCallee() == current || name.starts_with("cudaFunc") ||
          name.starts_with("cudaOccupancy"))
        return;
      break;
    }
    const bool isTransparent =
        isa_and_nonnull<clang::ParenExpr, clang::CastExpr>(parent) ||
        (isa_and_nonnull<clang::UnaryOperator>(parent) &&
         cast<clang::UnaryOperator>(parent)->getOpcode() == clang::UO_AddrOf);
    if (!isTransparent)
      break;
    current = parent;
  }
  Use use{naming.expression, target, naming.function, {}, false};
  refuse(use, Code::PointerEscapes,
         fmt::format("'{}' is used as a value, and its type changes with '{}'",
                     function->getNameAsString(), target->shape.name),
         naming.expression->getExprLoc(), "call it by its name");
}

bool UseRewriter::flowsInto(const Use &use, const clang::ValueDecl *declaration) const {
  return declaration && program_.targetOf(declaration) == use.target &&
         !isKeptReference(declaration);
}

bool UseRewriter::isTested(const clang::Expr *condition) const {
  const clang::Stmt *current = condition;
  while (true) {
    const clang::Stmt *parent = program_.index.parentOf(current).stmt;
    if (!parent)
      return false;
    if (const auto *test = dyn_cast<clang::IfStmt>(parent))
      return test->getCond() == current;
    if (const auto *loop = dyn_cast<clang::WhileStmt>(parent))
      return loop->getCond() == current;
    if (const auto *loop = dyn_cast<clang::ForStmt>(parent))
      return loop->getCond() == current;
    if (const auto *loop = dyn_cast<clang::DoStmt>(parent))
      return loop->getCond() == current;
    if (const auto *choice = dyn_cast<clang::ConditionalOperator>(parent))
      return choice->getCond() == current;
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(parent))
      return unary->getOpcode() == clang::UO_LNot;
    if (const auto *binary = dyn_cast<clang::BinaryOperator>(parent))
      return binary->isLogicalOp();
    if (!isa<clang::ParenExpr, clang::FullExpr>(parent))
      return false;
    current = parent;
  }
}

bool UseRewriter::isDiscarded(const clang::Stmt *expression) const {
  while (true) {
    const clang::Stmt *parent = program_.index.parentOf(expression).stmt;
    if (!parent)
      return false;
    if (isa<clang::FullExpr, clang::ParenExpr>(parent)) {
      expression = parent;
      continue;
    }
    if (const auto *cast = dyn_cast<clang::CastExpr>(parent))
      return cast->getCastKind() == clang::CK_ToVoid;
    if (const auto *binary = dyn_cast<clang::BinaryOperator>(parent))
      return binary->getOpcode() == clang::BO_Comma && binary->getLHS() == expression;
    if (isa<clang::CompoundStmt>(parent))
      return !isa_and_nonnull<clang::StmtExpr>(program_.index.parentOf(parent).stmt);
    if (const auto *test = dyn_cast<clang::IfStmt>(parent))
      return test->getThen() == expression || test->getElse() == expression;
    if (const auto *loop = dyn_cast<clang::ForStmt>(parent))
      return loop->getBody() == expression || loop->getInit() == expression ||
             loop->getInc() == expression;
    if (const auto *loop = dyn_cast<clang::WhileStmt>(parent))
      return loop->getBody() == expression;
    if (const auto *loop = dyn_cast<clang::DoStmt>(parent))
      return loop->getBody() == expression;
    if (const auto *loop = dyn_cast<clang::CXXForRangeStmt>(parent))
      return loop->getBody() == expression;
    if (const auto *label = dyn_cast<clang::CaseStmt>(parent))
      return label->getSubStmt() == expression;
    return isa<clang::DefaultStmt, clang::LabelStmt>(parent);
  }
}

void UseRewriter::pointer(Use &use, const clang::Expr *current) {
  const Parent parent = program_.index.parentOf(current);
  if (parent.stmt)
    return pointerIn(use, current, *parent.stmt);
  if (parent.initialiser) {
    if (parent.initialiser->isMemberInitializer() &&
        flowsInto(use, parent.initialiser->getMember()))
      return;
  } else if (const auto *variable = dyn_cast_or_null<clang::VarDecl>(parent.decl)) {
    if (variable->getInit() == current && flowsInto(use, variable))
      return;
  } else if (const auto *field = dyn_cast_or_null<clang::FieldDecl>(parent.decl)) {
    if (field->getInClassInitializer() == current && flowsInto(use, field))
      return;
  }
  refuse(use, Code::PointerEscapes, "the pointer goes where it cannot be followed",
         current->getExprLoc(),
         "keep it in variables, parameters and members of its own pointer type");
}

void UseRewriter::pointerIn(Use &use, const clang::Expr *current, const clang::Stmt &parent) {
  if (isa<clang::ParenExpr, clang::FullExpr>(parent))
    return pointer(use, cast<clang::Expr>(&parent));
  if (const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(&parent)) {
    switch (conversion->getCastKind()) {
    case clang::CK_LValueToRValue:
    case clang::CK_NoOp:
      return pointer(use, conversion);
    case clang::CK_PointerToBoolean:
      if (isTested(conversion))
        return;
      return refuse(use, Code::PointerEscapes, "the pointer is stored as a truth value",
                    current->getExprLoc(), "compare it with nullptr");
    case clang::CK_BitCast:
      return throughVoid(use, conversion);
    default:
      return refuse(use, Code::PointerEscapes, "the pointer is converted to another type",
                    current->getExprLoc(), "keep it in its own type");
    }
  }
  if (const auto *conversion = dyn_cast<clang::ExplicitCastExpr>(&parent)) {
    if (conversion->getCastKind() == clang::CK_ToVoid)
      return;
    if (conversion->getType()->isVoidPointerType())
      return throughVoid(use, conversion);
    return refuse(use, Code::PointerEscapes,
                  fmt::format("the pointer is cast to '{}'", conversion->getType().getAsString()),
                  conversion->getExprLoc(), "views cannot be cast; keep the pointer's own type");
  }
  if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(&parent)) {
    if (subscript->getLHS() == current && subscript->getBase() == current)
      return element(use, {Element::Form::Subscript,
                           subscript,
                           current,
                           {},
                           subscript->getType().isConstQualified()});
    return refuse(use, Code::UnsupportedElementUse, "the subscript stands before the array",
                  current->getExprLoc(), "write array[index]");
  }
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(&parent)) {
    if (unary->getOpcode() == clang::UO_Deref)
      return element(
          use,
          {Element::Form::Dereference, unary, current, {}, unary->getType().isConstQualified()});
    if (unary->getOpcode() == clang::UO_AddrOf)
      return addressTaken(use, unary);
    if (unary->isIncrementDecrementOp())
      return pointer(use, unary);
  }
  if (const auto *member = dyn_cast<clang::MemberExpr>(&parent); member && member->isArrow())
    return element(use, {Element::Form::Arrow,
                         current,
                         current,
                         {},
                         current->getType()->getPointeeType().isConstQualified()});
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(&parent))
    return pointerInOperator(use, current, *binary);
  if (const auto *call = dyn_cast<clang::CallExpr>(&parent))
    return pointerInCall(use, current, *call);
  if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(&parent)) {
    for (unsigned i = 0; i < construction->getNumArgs(); ++i)
      if (construction->getArg(i) == current &&
          i < construction->getConstructor()->getNumParams() &&
          flowsInto(use, construction->getConstructor()->getParamDecl(i)))
        return;
  }
  if (const auto *list = dyn_cast<clang::InitListExpr>(&parent)) {
    if (list->getType()->isPointerType())
      return pointer(use, list);
    const clang::InitListExpr *semantic = list->isSemanticForm() ? list : list->getSemanticForm();
    const clang::CXXRecordDecl *record =
        semantic ? semantic->getType()->getAsCXXRecordDecl() : nullptr;
    unsigned index = record ? record->getNumBases() : 0;
    if (record)
      for (const clang::FieldDecl *field : record->fields()) {
        if (field->isUnnamedBitField())
          continue;
        if (index < semantic->getNumInits() && semantic->getInit(index) == current &&
            flowsInto(use, field))
          return;
        ++index;
      }
  }
  if (const auto *choice = dyn_cast<clang::ConditionalOperator>(&parent)) {
    const clang::Expr *other =
        choice->getTrueExpr() == current ? choice->getFalseExpr() : choice->getTrueExpr();
    if (choice->getCond() != current && isView(program_, other, *use.target))
      return pointer(use, choice);
  }
  if (isa<clang::ReturnStmt>(&parent) && use.function && flowsInto(use, use.function))
    return;
  if (isa<clang::LambdaExpr>(&parent) && isa<clang::DeclRefExpr>(current->IgnoreImpCasts()))
    return; // a capture; uses inside are names of their own
  if (const auto *size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(&parent))
    return refuse(use, Code::UnsupportedElementUse, "the size of the pointer itself is taken",
                  size->getExprLoc(), "a view has another size than a pointer");
  if (!isa<clang::Expr>(&parent) && isDiscarded(current))
    return;
  refuse(use, Code::PointerEscapes,
         fmt::format("the pointer is used in a way that is not known to be safe ({})",
                     parent.getStmtClassName()),
         current->getExprLoc(), "keep it in variables, parameters and members of its own type");
}

void UseRewriter::pointerInOperator(Use &use, const clang::Expr *current,
                                    const clang::BinaryOperator &parent) {
  const bool isLeft = parent.getLHS() == current;
  const clang::Expr *other = isLeft ? parent.getRHS() : parent.getLHS();
  switch (parent.getOpcode()) {
  case clang::BO_Assign:
    if (isLeft)
      return isDiscarded(&parent) ? void() : pointer(use, &parent);
    if (isView(program_, other, *use.target))
      return;
    break;
  case clang::BO_AddAssign:
  case clang::BO_SubAssign:
    if (isLeft)
      return isDiscarded(&parent) ? void() : pointer(use, &parent);
    break;
  case clang::BO_Add:
    return pointer(use, &parent);
  case clang::BO_Sub:
    if (!other->getType()->isPointerType())
      return pointer(use, &parent);
    [[fallthrough]];
  case clang::BO_EQ:
  case clang::BO_NE:
  case clang::BO_LT:
  case clang::BO_GT:
  case clang::BO_LE:
  case clang::BO_GE:
    if (isView(program_, other, *use.target))
      return;
    break;
  case clang::BO_Comma:
    return isLeft ? void() : pointer(use, &parent);
  default:
    break;
  }
  refuse(use, Code::PointerEscapes,
         fmt::format("operator '{}' joins the pointer with something that is no view",
                     parent.getOpcodeStr().str()),
         parent.getOperatorLoc(), "keep device and host pointers apart");
}

void UseRewriter::pointerInCall(Use &use, const clang::Expr *current, const clang::CallExpr &call) {
  const std::string name = runtimeName(program_, call);
  if (name.starts_with("cuda"))
    return runtimeCall(use, current, call, name);
  if (name == "swap" && call.getNumArgs() == 2 && call.getDirectCallee()->isInStdNamespace() &&
      isView(program_, call.getArg(0), *use.target) &&
      isView(program_, call.getArg(1), *use.target))
    return;
  if (name.empty() && flowsInto(use, parameterFor(call, *current)))
    return;
  refuse(use, Code::PointerEscapes,
         name.empty() ? "the pointer is passed to a function that is not seen, or by another type"
                      : fmt::format("the pointer is passed to '{}'", name),
         current->getExprLoc(), "pass it to functions of this file, by its own type");
}

/// `&p`: only where cudaMalloc fills the pointer in.
void UseRewriter::addressTaken(Use &use, const clang::Expr *address) {
  if (!editAllocation(use, address) && !use.refused)
    refuse(use, Code::PointerToPointer, "the address of the pointer is taken",
           address->getExprLoc(),
           "only cudaMalloc may take it; return the pointer by value instead");
}

void UseRewriter::element(Use &use, Element element) {
  const clang::Expr *current = element.whole;
  while (true) {
    const Parent around = program_.index.parentOf(current);
    const clang::Stmt *parent = around.stmt;
    if (const auto *variable = dyn_cast_or_null<clang::VarDecl>(around.decl);
        variable && variable->getInit() == current && variable->getType()->isReferenceType() &&
        flowsInto(use, variable))
      return editAddress(use, element, nullptr);
    if (!parent)
      break;
    if (const auto *parens = dyn_cast<clang::ParenExpr>(parent)) {
      element.parens.push_back(parens);
      current = parens;
      continue;
    }
    if (const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(parent);
        conversion && conversion->getCastKind() == clang::CK_NoOp) {
      current = conversion;
      continue;
    }
    if (const auto *wrapper = dyn_cast<clang::FullExpr>(parent)) {
      current = wrapper;
      continue;
    }
    if (const auto *member = dyn_cast<clang::MemberExpr>(parent)) {
      if (isa<clang::FieldDecl>(member->getMemberDecl())) {
        if (isExploded(use, *member))
          return explodedField(use, element, *member);
        editField(use, element, *member);
        return field(use, member, element.isConst && !member->getType()->isArrayType());
      }
      const auto *method = dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
      if (method && method->isInstance() && method->isConst() &&
          !method->getReturnType()->isReferenceType() &&
          !method->getReturnType()->isPointerType()) {
        requireNoStores(use, method, member->getExprLoc());
        requireNoOverload(use, *method, member->getExprLoc());
        methodOfCopy(use, *method, member->getExprLoc());
        return editLoad(use, element, member);
      }
      return refuse(use, Code::UnsupportedElementUse,
                    fmt::format("member '{}' of an element is neither a field nor a const method "
                                "that returns a value",
                                member->getMemberDecl()->getNameAsString()),
                    member->getMemberLoc(),
                    "copy the element, call the method on the copy, and store it back");
    }
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(parent);
        unary && unary->getOpcode() == clang::UO_AddrOf) {
      editAddress(use, element, unary);
      return pointer(use, unary);
    }
    if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(parent);
        construction && construction->getConstructor()->isCopyOrMoveConstructor() &&
        construction->getConstructor()->isTrivial() && construction->getNumArgs() >= 1 &&
        construction->getArg(0) == current)
      return editLoad(use, element);
    if (const auto *assignment = dyn_cast<clang::CXXOperatorCallExpr>(parent);
        assignment && assignment->getOperator() == clang::OO_Equal) {
      const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(assignment->getDirectCallee());
      if (method && method->isTrivial() && assignment->getArg(1) == current)
        return editLoad(use, element);
      if (method && method->isTrivial() && assignment->getArg(0) == current)
        return store(use, element, *assignment);
    }
    if (const auto *call = dyn_cast<clang::CallExpr>(parent))
      return elementInCall(use, element, current, *call);
    if (const auto *size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(parent);
        size && size->getKind() == clang::UETT_SizeOf)
      return replaceSizeof(use, *size, use.target->shape.name);
    break;
  }
  refuse(use, Code::UnsupportedElementUse,
         "the element is used as a whole in a way that is not known to be safe",
         element.whole->getExprLoc(), "copy it to a local variable, or name its fields");
}

void UseRewriter::elementInCall(Use &use, const Element &element, const clang::Expr *current,
                                const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (callee && isUsers(program_, *callee)) {
    const clang::ParmVarDecl *parameter = parameterFor(call, *current);
    const auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
    const bool returnsValue =
        !callee->getReturnType()->isReferenceType() && !callee->getReturnType()->isPointerType();
    const bool isConstObject = !parameter && method && method->isConst() &&
                               isa<clang::CXXOperatorCallExpr>(call) && call.getArg(0) == current;
    if (returnsValue && ((parameter && isKeptReference(parameter)) || isConstObject)) {
      if (parameter)
        referenceTo(use, *parameter, current, /*isValue=*/true);
      else
        methodOfCopy(use, *method, current->getExprLoc());
      requireNoStores(use, callee, current->getExprLoc());
      requireNoOverload(use, *callee, current->getExprLoc());
      return editLoad(use, element);
    }
    if (parameter && parameter->getType()->isReferenceType() && flowsInto(use, parameter))
      return editAddress(use, element, nullptr);
  }
  refuse(use, Code::UnsupportedElementUse,
         "the element is passed by reference to a function that may keep or change it",
         current->getExprLoc(),
         "pass it by value, or by const reference to a function of this file");
}

/// What was an lvalue is a temporary afterwards; an overload for temporaries would be called then.
void UseRewriter::requireNoOverload(Use &use, const clang::FunctionDecl &callee,
                                    clang::SourceLocation where) {
  if (program_.index.tellsTemporaries(callee.getDeclName()))
    refuse(use, Code::UnsupportedElementUse,
           fmt::format("'{}' has an overload for temporaries, and would get one here",
                       callee.getNameAsString()),
           where, "copy it to a local variable first");
}

void UseRewriter::refuseMacro(Use &use, clang::SourceLocation where) {
  refuse(use, Code::EditInMacro,
         fmt::format("the body of a macro works on '{}'", use.target->shape.name), where,
         "write the access out, or make the macro a function");
}

void UseRewriter::refuse(Use &use, Code code, const std::string &text, clang::SourceLocation where,
                         const std::string &remedy) {
  use.refused = true;
  program_.findings.refuse(
      code, fmt::format("arrays of '{}' stay as they are: {}", use.target->shape.name, text), where,
      remedy);
}

} // namespace relayout::rewriter
