// SPDX-License-Identifier: Apache-2.0
// Finds the copies of functions on memory without a type that a program's calls need, and edits
// these calls.
#include "rules/untyped_copies.h"

#include "coordinates/extent_parameters.h"
#include "legality/unread_text.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "rules/memory_calls.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;
using instrument::UntypedFunction;

constexpr const char *kUntypedRemedy =
    "let it take and return pointers to the record, or make it a "
    "function template over the record";

Refusal refusalOf(const clang::CallExpr &call, std::string why) {
  return {Code::PointerEscapes,
          fmt::format("'{}' {}", call.getDirectCallee()->getNameAsString(), why), call.getExprLoc(),
          kUntypedRemedy};
}

bool isNull(const Program &program, const clang::Expr &argument) {
  return argument.isNullPointerConstant(program.unit.ast(),
                                        clang::Expr::NPC_ValueDependentIsNotNull) !=
         clang::Expr::NPCK_NotNull;
}

/// The view that is passed, or of which the address is; null for other arguments.
const clang::Expr *viewIn(const Program &program, const clang::Expr &argument,
                          const Target &target) {
  const clang::Expr *bare = argument.IgnoreParenCasts();
  if (const auto *address = dyn_cast<clang::UnaryOperator>(bare);
      address && address->getOpcode() == clang::UO_AddrOf &&
      address->getSubExpr()->getType()->isPointerType())
    bare = address->getSubExpr()->IgnoreParenImpCasts();
  return !isNull(program, argument) && !bare->getType()->isIntegralType(program.unit.ast()) &&
                 isView(program, bare, target)
             ? bare
             : nullptr;
}

/// `h` of `toDevice(h, bytes)`, an array of records of the host.
bool isOfRecords(const clang::Expr &argument, const Target &target) {
  const clang::QualType type = behindVoidCasts(&argument)->getType();
  clang::QualType pointee;
  if (type->isPointerType())
    pointee = type->getPointeeType();
  else if (type->isArrayType())
    pointee = type->getAsArrayTypeUnsafe()->getElementType();
  const clang::CXXRecordDecl *record =
      pointee.isNull() ? nullptr : instrument::elementRecordOf(pointee);
  return record && record->getCanonicalDecl() == target.record->getCanonicalDecl();
}

/// Whether the parameter for a pointer leads to const memory.
bool takesConst(const UntypedFunction &function, std::size_t pointer, const clang::CallExpr &call) {
  const clang::Expr *argument = function.argumentFor(pointer, call);
  const clang::ParmVarDecl *parameter = argument ? parameterFor(call, *argument) : nullptr;
  return parameter && parameter->getType()->getPointeeType().isConstQualified();
}

/// What is freed needs no type.
bool isOnlyFreed(const UntypedFunction &function, const clang::Expr &argument,
                 const clang::CallExpr &call) {
  const clang::ParmVarDecl *parameter = parameterFor(call, argument);
  return parameter && function.function &&
         instrument::onlyFrees(*function.function, parameter->getFunctionScopeIndex());
}

std::variant<UntypedRole, Refusal> roleOf(const Program &program, const UntypedFunction &function,
                                          std::size_t pointer, const clang::CallExpr &call,
                                          const Target &target) {
  const clang::Expr *argument = function.argumentFor(pointer, call);
  if (!argument)
    return function.pointers[pointer].isReturned ? UntypedRole::View : UntypedRole::Kept;
  for (const auto &[group, other] : program.targets)
    if (other != &target && viewIn(program, *argument, *other))
      return refusalOf(call, "is given arrays of two layouts");
  const clang::QualType pointee = behindVoidCasts(argument)->getType()->getPointeeType();
  const bool isAddress = !pointee.isNull() && pointee->isPointerType();
  if (const clang::Expr *view = viewIn(program, *argument, target)) {
    clang::QualType type = view->getType();
    if (isAddress && type->getPointeeType()->isPointerType())
      type = type->getPointeeType();
    if (isAddress && type->getPointeeType().isConstQualified())
      return refusalOf(call, "allocates for a pointer to const records");
    if (!isAddress && type->isPointerType() && type->getPointeeType().isConstQualified() &&
        !takesConst(function, pointer, call))
      return refusalOf(call, "is given const records by a cast");
    return UntypedRole::View;
  }
  if (isAddress || !isOfRecords(*argument, target) || isOnlyFreed(function, *argument, call))
    return UntypedRole::Kept;
  if (!pointee.isNull() && pointee.isConstQualified() && !takesConst(function, pointer, call))
    return refusalOf(call, "is given const records by a cast");
  return UntypedRole::Records;
}

/// True where the program does more with a function than call it: an overload beside it would leave
/// open which one is meant.
bool isNamedAsValue(const Program &program, const clang::FunctionDecl &function) {
  return std::ranges::any_of(program.index.namings(), [&](const Naming &naming) {
    const auto *name = dyn_cast<clang::DeclRefExpr>(naming.expression);
    if (!name || name->getDecl()->getCanonicalDecl() != function.getCanonicalDecl())
      return false;
    const clang::Stmt *current = name;
    const clang::Stmt *parent = program.index.parentOf(current).stmt;
    while (isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(parent)) {
      current = parent;
      parent = program.index.parentOf(current).stmt;
    }
    const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
    return !call || call->getCallee() != current;
  });
}

/// Of one kind of argument, or of none: then the result alone tells the copy, and it needs a name
/// of its own.
std::variant<std::string, Refusal> nameFor(const Program &program, const UntypedCopy &copy,
                                           const clang::CallExpr &call) {
  const clang::FunctionDecl &function = *copy.function.function;
  const std::string name = function.getNameAsString();
  bool isTold = false;
  for (std::size_t i = 0; i < copy.roles.size(); ++i)
    isTold |= copy.roles[i] == UntypedRole::View && copy.function.argumentFor(i, call);
  if (isTold && !isNamedAsValue(program, function))
    return name;
  if (std::optional<std::string> own = nameForRecord(program, *copy.target, name))
    return std::move(*own);
  return Refusal{
      Code::NameTaken,
      fmt::format("the name that '{}' would have for '{}' is taken", name, copy.target->shape.name),
      call.getExprLoc(), "rename the one or the other"};
}

class ResultEdits : public clang::DynamicRecursiveASTVisitor {
public:
  ResultEdits(Program &program, const Target &target) : program_(program), target_(target) {}

  bool VisitExplicitCastExpr(clang::ExplicitCastExpr *conversion) override {
    const clang::CallExpr *call = untypedResult(program_, conversion, target_);
    if (!call)
      return true;
    const clang::FunctionDecl *around = program_.index.functionAround(conversion);
    const clang::SourceLocation where = call->getCallee()->getExprLoc();
    const std::optional<FilePlace> place = program_.reader.place(where);
    TokenEdits edits(program_.reader);
    if (isa<clang::CStyleCastExpr, clang::CXXNamedCastExpr>(conversion))
      dropCast(edits, *conversion);
    else
      edits.fail(where);
    auto copy = untypedCopyFor(program_, *call, target_);
    std::optional<Refusal> refusal;
    if (auto *reason = std::get_if<Refusal>(&copy))
      refusal = std::move(*reason);
    else
      refusal = editUntypedCall(program_, edits, *call, *std::get<const UntypedCopy *>(copy));
    if (!refusal && (!place || edits.failed()))
      refusal = Refusal{Code::EditInMacro, "a cast that has to go is in the body of a macro", where,
                        "write the allocation out"};
    if (refusal) {
      refusal->text =
          fmt::format("arrays of '{}' are not rewritten: {}", target_.shape.name, refusal->text);
      program_.findings.refuse(std::move(*refusal));
      return true;
    }
    program_.editedFiles[&target_].insert(place->path);
    if (!program_.editsIn(around).add(*place, edits.take()))
      program_.findings.refuse({Code::ConflictingEdits,
                                "one allocation would have to be edited in two ways", where,
                                "write the uses out"});
    return true;
  }

private:
  Program &program_;
  const Target &target_;
};

} // namespace

UntypedCopy copyOf(UntypedFunction function, const Target &target, std::vector<UntypedRole> roles) {
  UntypedCopy copy{std::move(function), &target, std::move(roles), {}, {}, 0, {}};
  for (std::size_t i = 0; i < copy.roles.size() && copy.extents.empty(); ++i) {
    const instrument::Origins &made = copy.function.pointers[i].allocated;
    if (copy.roles[i] == UntypedRole::View && (made.device || made.managed || made.pinned))
      for (const std::string &text : target.layout.order.texts)
        if (!text.empty()) {
          std::string name = parameterNameOf(text, *copy.function.function);
          while (std::ranges::find(copy.extents, name) != copy.extents.end())
            name += "Again";
          copy.extents.push_back(std::move(name));
        }
  }
  return copy;
}

std::variant<const UntypedCopy *, Refusal>
untypedCopyFor(Program &program, const clang::CallExpr &call, const Target &target) {
  UntypedFunction function = instrument::readUntyped(*call.getDirectCallee());
  if (!function.obstacle.empty())
    return refusalOf(call, function.obstacle);
  std::vector<UntypedRole> roles;
  for (std::size_t i = 0; i < function.pointers.size(); ++i) {
    auto role = roleOf(program, function, i, call, target);
    if (auto *refusal = std::get_if<Refusal>(&role))
      return std::move(*refusal);
    roles.push_back(std::get<UntypedRole>(role));
  }
  UntypedCopy copy = copyOf(std::move(function), target, std::move(roles));
  copy.call = call.getExprLoc();
  warnOfStringified(program, target, call.getExprLoc());
  for (const std::shared_ptr<UntypedCopy> &known : program.untypedCopies)
    if (known->function.function == copy.function.function && known->target == &target &&
        known->roles == copy.roles) {
      if (known->call.isInvalid() ||
          program.unit.sources().isBeforeInTranslationUnit(copy.call, known->call))
        known->call = copy.call;
      return known.get();
    }
  auto name = nameFor(program, copy, call);
  if (auto *refusal = std::get_if<Refusal>(&name))
    return std::move(*refusal);
  copy.name = std::get<std::string>(name);
  program.untypedCopies.push_back(std::make_shared<UntypedCopy>(std::move(copy)));
  return program.untypedCopies.back().get();
}

std::optional<Refusal> editUntypedCall(Program &program, TokenEdits &edits,
                                       const clang::CallExpr &call, const UntypedCopy &copy) {
  const auto *callee = dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
  if (!callee)
    return refusalOf(call, "is not called by its name");
  if (const std::string own = callee->getNameInfo().getAsString(); own != copy.name)
    edits.replace(callee->getLocation(), own, copy.name);
  for (std::size_t i = 0; i < copy.roles.size(); ++i)
    if (const clang::Expr *argument = copy.function.argumentFor(i, call);
        argument && copy.roles[i] != UntypedRole::Kept) {
      if (isa<clang::CXXDefaultArgExpr>(argument))
        return refusalOf(call, "has a pointer by default");
      if (std::optional<Refusal> refusal = dropVoidCasts(edits, argument))
        return refusal;
    }
  if (copy.extents.empty())
    return std::nullopt;
  if (call.getNumArgs() == 0)
    return refusalOf(call, "takes nothing, and extents of the array would have to be passed to it");
  auto extents = ExtentParameters::of(program).given(copy.target->layout.order,
                                                     {&call, program.index.functionAround(&call)});
  if (auto *refusal = std::get_if<Refusal>(&extents))
    return std::move(*refusal);
  edits.insertAfter(*call.getArg(call.getNumArgs() - 1), std::get<std::string>(extents));
  return std::nullopt;
}

const clang::CallExpr *untypedResult(const Program &program, const clang::Expr *value,
                                     const Target &target) {
  const auto *conversion = dyn_cast<clang::ExplicitCastExpr>(value->IgnoreParenImpCasts());
  if (!conversion || !conversion->getType()->isPointerType())
    return nullptr;
  const clang::CXXRecordDecl *record =
      instrument::elementRecordOf(conversion->getType()->getPointeeType());
  const auto *call = dyn_cast<clang::CallExpr>(conversion->getSubExpr()->IgnoreParenImpCasts());
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!record || record->getCanonicalDecl() != target.record->getCanonicalDecl() || !callee ||
      !isUsers(program, *callee) || instrument::untypedLevel(callee->getReturnType()) != 1)
    return nullptr;
  const UntypedFunction function = instrument::readUntyped(*callee);
  const std::size_t result =
      function.obstacle.empty() ? function.returned() : UntypedFunction::kNone;
  if (result == UntypedFunction::kNone)
    return nullptr;
  const instrument::Origins &made = function.pointers[result].allocated;
  const clang::Expr *through = function.argumentFor(result, *call);
  const bool isView = through ? viewIn(program, *through, target) != nullptr
                              : made.device || made.managed || made.pinned;
  return isView && !made.host ? call : nullptr;
}

void editUntypedResults(Program &program, const clang::Expr *value, const Target &target) {
  ResultEdits(program, target).TraverseStmt(const_cast<clang::Expr *>(value));
}

} // namespace relayout::rewriter
