// SPDX-License-Identifier: Apache-2.0
// Elements that a method, an operator or a function changes through a reference: `v[i] += f;` loads
// the element into a variable, changes that, and stores what was changed.
#include "edits/words.h"
#include "legality/constant_references.h"
#include "legality/element_effects.h"
#include "legality/evaluation_order.h"
#include "legality/object_parts.h"
#include "rules/constructs.h"
#include "rules/hoisted_calls.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

const char *const kElementRemedy = "copy the element, change the copy, and store it back";

/// A call that changes an element.
struct Change {
  const clang::CallExpr *call = nullptr;
  const clang::FunctionDecl *callee = nullptr;
  const clang::MemberExpr *method = nullptr; ///< of `p[i].advance(dt)`
  int parameter = -1;                        ///< -1: the element is the object
  const clang::Expr *first = nullptr; ///< an argument to compute before the element is loaded
};

/// An element of another layout's arrays, or a part of one.
bool isOfOtherArray(const Climb &climb, const clang::Expr &argument) {
  const clang::Expr *element = &argument;
  while (const auto *member = dyn_cast<clang::MemberExpr>(element)) {
    element = member->getBase()->IgnoreParenImpCasts();
    if (member->isArrow())
      break;
  }
  return std::ranges::any_of(climb.program.targets, [&](const auto &entry) {
    const Target &other = *entry.second;
    return &other != &climb.target &&
           (element->getType()->isPointerType() ? isView(climb.program, element, other)
                                                : isElement(climb.program, element, other));
  });
}

/// Why an argument beside the element cannot be computed between its load and its store.
std::optional<std::string> obstacleIn(const Climb &climb, const Change &change, int index,
                                      const clang::Expr &argument, const clang::Expr &element) {
  if (hasEffects(climb.program, argument))
    return "an argument does more than to compute a value";
  const clang::ParmVarDecl *parameter =
      index < static_cast<int>(change.callee->getNumParams())
          ? change.callee->getParamDecl(static_cast<unsigned>(index))
          : nullptr;
  const clang::Expr *bare = argument.IgnoreParenImpCasts();
  if (argument.getType()->isPointerType() && namesArrays(climb.program, &argument) &&
      !climb.isView(&argument))
    return "an argument may point to a field of the same element";
  if (parameter && !parameter->getType()->isReferenceType())
    return std::nullopt;
  if (!bare->isGLValue() || !namesArrays(climb.program, bare))
    return std::nullopt;
  if (!parameter || (!parameter->getType().getNonReferenceType().isConstQualified() &&
                     !mayBeConst(climb.program, *parameter)))
    return "two elements are changed at once";
  const clang::FunctionDecl *body = climb.program.linked.bodyOf(climb.program, *change.callee).body;
  if (isElement(climb.program, bare, climb.target) &&
      (climb.program.flow.groupOf(bare) != climb.program.flow.groupOf(&element) ||
       (body && readsBeforeWrites(*body, change.parameter, index))))
    return std::nullopt;
  if (isOfOtherArray(climb, *bare))
    return std::nullopt;
  return isElement(climb.program, bare, climb.target)
             ? std::optional<std::string>("an argument may be the same element")
             : std::optional<std::string>("an argument may be a field of the same element");
}

/// The only argument of a call, where it computes a value by more than that: it may be computed
/// first. Null for others.
const clang::Expr *soleActing(const Climb &climb, const Change &change,
                              const clang::Expr &element) {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(change.callee);
  const auto *operation = dyn_cast<clang::CXXOperatorCallExpr>(change.call);
  const bool isAssignment = operation && operation->isAssignmentOp();
  const bool isLeftSide = isAssignment && change.parameter == 0; // of `operator+=(R &, R)`
  const unsigned first = isLeftSide || (operation && method && method->isInstance()) ? 1 : 0;
  if ((change.parameter != -1 && !isLeftSide) || change.call->getNumArgs() != first + 1)
    return nullptr;
  const clang::Expr *argument = change.call->getArg(first);
  const clang::QualType type = change.callee->getParamDecl(isLeftSide ? 1 : 0)->getType();
  const bool takesValue = !type->isReferenceType() || type.getNonReferenceType().isConstQualified();
  // An assignment evaluates its right side first.
  const auto *subscript = isAssignment ? nullptr : dyn_cast<clang::ArraySubscriptExpr>(&element);
  const bool isValue = argument->isPRValue() ||
                       isa<clang::MaterializeTemporaryExpr>(argument->IgnoreImplicit()) ||
                       isa<clang::MaterializeTemporaryExpr>(argument);
  return takesValue && isValue && !argument->getType()->isPointerType() &&
                 !isa<clang::CXXDefaultArgExpr>(argument) && hasEffects(climb.program, *argument) &&
                 !(subscript && orderMatters(climb.program, *argument, *subscript->getIdx()))
             ? argument
             : nullptr;
}

std::optional<std::string> obstacleInArguments(const Climb &climb, const Change &change,
                                               const clang::Expr &element) {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(change.callee);
  const unsigned first =
      isa<clang::CXXOperatorCallExpr>(change.call) && method && method->isInstance() ? 1 : 0;
  for (unsigned i = first; i < change.call->getNumArgs(); ++i) {
    const int index = static_cast<int>(i - first);
    if (index == change.parameter || change.call->getArg(i) == change.first)
      continue;
    if (std::optional<std::string> obstacle =
            obstacleIn(climb, change, index, *change.call->getArg(i), element))
      return obstacle;
  }
  return std::nullopt;
}

void editStatement(TokenEdits &edits, Climb &climb, const CallStatement &statement,
                   const ElementText &access, const WriteBack &back, const FileRange *first) {
  const std::string &file = climb.reader.fileText(statement.range.begin.path);
  const std::string &line = statement.line;
  const LoadedElement loaded = loadedElement(climb, access, back, file, line, 0);
  const std::string load = line + loaded.load + line;
  if (!first) {
    edits.add({access.range, loaded.inCall});
    return editBlock(edits, statement, load, loaded.store);
  }
  // Its text stays where it is, and what is around it follows.
  const std::string value = freeName(file, "value");
  const unsigned begin = statement.range.begin.offset;
  edits.add({{statement.range.begin, first->begin.offset}, {}});
  edits.add({{{first->begin.path, first->end}, statement.range.end}, {}});
  editBlock(edits, statement, fmt::format("{}const auto {} = ", line, value),
            ";" + load + file.substr(begin, access.range.begin.offset - begin) + loaded.inCall +
                file.substr(access.range.end, first->begin.offset - access.range.end) + value +
                file.substr(first->end, statement.range.end - first->end) + loaded.store);
}

/// Variables that may turn out to lead to a field of the element.
/// \param withReferences  their values are not read before the call
void noteVariables(Climb &climb, const clang::Stmt &expression, bool withReferences,
                   clang::SourceLocation where) {
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(&expression))
    if (const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
        variable &&
        (variable->getType()->isPointerType() ||
         (withReferences && variable->getType()->isReferenceType() && !climb.flowsInto(variable))))
      climb.references.noteBeside(climb.program, *variable, climb.target, where);
  for (const clang::Stmt *child : expression.children())
    if (child)
      noteVariables(climb, *child, withReferences, where);
}

Step change(Climb &climb, const Place &here, Change change) {
  const std::string name = change.callee->getNameAsString();
  const clang::SourceLocation where = here.expression->getExprLoc();
  const auto refuse = [&](const std::string &why) {
    if (change.parameter != -1)
      climb.references.noteUnableToStoreBackFor(*change.callee);
    else if (const auto *method = dyn_cast<clang::CXXMethodDecl>(change.callee))
      climb.references.noteUnableToStoreBack(*method);
    return refused(Code::UnsupportedElementUse,
                   fmt::format("the element is changed by '{}': {}", name, why), where,
                   kElementRemedy);
  };
  const ElementEffects effects =
      effectsOn(climb.program, *change.callee, change.parameter, climb.target.record);
  if (!effects.obstacle.empty())
    return refuse(effects.obstacle);
  const WriteBack back = writeBackOf(*climb.target.record, effects, name);
  if (!back.obstacle.empty())
    return refuse(back.obstacle);
  const std::optional<CallStatement> statement =
      callStatement(climb, *change.call, *here.element.whole);
  const HoistedCall hoisted =
      statement ? HoistedCall() : hoistedCall(climb, *change.call, *here.expression, effects);
  if (!statement && !effects.besides.empty()) // before or behind what else the expression does
    return refuse(effects.besides);
  if (!hoisted.obstacle.empty())
    return refuse(hoisted.obstacle);
  if (statement)
    change.first = soleActing(climb, change, *here.element.whole);
  if (const std::optional<std::string> obstacle =
          obstacleInArguments(climb, change, *here.element.whole))
    return refuse(*obstacle);
  const std::optional<ElementText> access = elementText(climb, here.element, change.method);
  if (!access || access->hasEffects)
    return refuse("array and index are not plain expressions, which can be written twice");
  TokenEdits edits = climb.edits();
  if (!statement) {
    noteVariables(climb, *hoisted.expression, /*withReferences=*/true, where);
    editHoisted(edits, climb, hoisted, *access, back);
    return climb.done(std::move(edits));
  }
  for (const clang::Expr *argument : change.call->arguments())
    if (argument != here.expression)
      noteVariables(climb, *argument, /*withReferences=*/argument->isGLValue(), where);
  std::optional<FileRange> first;
  if (change.first) {
    first = climb.reader.range(change.first->getSourceRange());
    const std::optional<FileRange> whole = climb.reader.range(change.call->getSourceRange());
    if (!first || climb.reader.text(*first).starts_with('{') || !whole ||
        first->begin.path != statement->range.begin.path ||
        !(whole->begin == statement->range.begin))
      return refuse("an argument does more than to compute a value");
  }
  editStatement(edits, climb, *statement, *access, back, first ? &*first : nullptr);
  return climb.done(std::move(edits));
}

/// `Base &`, which cannot become a view of the element.
bool refersToBase(const Climb &climb, const clang::ParmVarDecl &parameter) {
  const clang::CXXRecordDecl *record =
      parameter.getType()->isLValueReferenceType()
          ? parameter.getType().getNonReferenceType()->getAsCXXRecordDecl()
          : nullptr;
  return record && record->getDefinition() &&
         climb.target.record->isDerivedFrom(record->getDefinition());
}

} // namespace

/// `p[i].advance(dt);`
std::optional<Step> elementChangedByMethod(Climb &climb, const Place &here, const Parent &around) {
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  const auto *method = member ? dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl()) : nullptr;
  if (!method || !method->isInstance() || method->isConst() || here.element.isConst)
    return std::nullopt;
  const auto *call =
      dyn_cast_or_null<clang::CXXMemberCallExpr>(climb.program.index.parentOf(member).stmt);
  if (call && !method->getReturnType()->isReferenceType() &&
      !method->getReturnType()->isPointerType() && onlyComputes(climb.program, *method))
    return std::nullopt; // as a const method
  return call ? std::optional(change(climb, here, {call, method, member, -1})) : std::nullopt;
}

/// `v[i] += f;`, `normalise(v[i]);`
std::optional<Step> elementChangedByCall(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !isUsers(climb.program, *callee) || here.element.isConst)
    return std::nullopt;
  const auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
  if (isa<clang::CXXOperatorCallExpr>(call) && method && method->isInstance() &&
      call->getArg(0) == here.expression)
    return method->isConst() ? std::nullopt
                             : std::optional(change(climb, here, {call, callee, nullptr, -1}));
  const clang::ParmVarDecl *parameter = parameterFor(*call, *here.expression);
  if (!parameter ||
      !(isKeptReference(climb.program, parameter) || refersToBase(climb, *parameter)) ||
      parameter->getType().getNonReferenceType().isConstQualified() ||
      mayBeConst(climb.program, *parameter))
    return std::nullopt;
  return change(climb, here,
                {call, callee, nullptr, static_cast<int>(parameter->getFunctionScopeIndex())});
}

} // namespace relayout::rewriter
