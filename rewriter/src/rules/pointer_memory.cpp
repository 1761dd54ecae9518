// SPDX-License-Identifier: Apache-2.0
// Only bytes that are counted in pointers, by sizeof, grow with them.
#include "rules/pointer_memory.h"

#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "rules/memory_calls.h"
#include "rules/written_type.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace relayout::rewriter {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

/// `R **`, `R *[n]`, and whatever else leads to pointers.
bool leadsToPointers(clang::QualType type) {
  if (type->isArrayType())
    return type->getBaseElementTypeUnsafe()->isPointerType();
  return type->isPointerType() &&
         type->getPointeeType()->getBaseElementTypeUnsafe()->isPointerType();
}

/// `R *`, or an array of those, of the record whose layout changes.
bool isOfPointers(const Target &target, clang::QualType type) {
  const clang::QualType pointer(type->getBaseElementTypeUnsafe(), 0);
  const clang::CXXRecordDecl *record =
      pointer->isPointerType() ? instrument::elementRecordOf(pointer->getPointeeType()) : nullptr;
  return record && record->getCanonicalDecl() == target.record->getCanonicalDecl();
}

/// `sizeof(R *)`, which can be edited, or `sizeof(p)` of what becomes a view.
const clang::UnaryExprOrTypeTraitExpr *sizeOfPointers(const Program &program, const Target &target,
                                                      const clang::Expr &bytes) {
  const auto *size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(bytes.IgnoreParenCasts());
  return size && size->getKind() == clang::UETT_SizeOf &&
                 isOfPointers(target, size->getTypeOfArgument()) &&
                 (size->isArgumentType() || isView(program, size->getArgumentExpr(), target))
             ? size
             : nullptr;
}

/// The `sizeof` in a product that counts whole pointers; null: it does not.
const clang::UnaryExprOrTypeTraitExpr *
pointersCountedBy(const Program &program, const Target &target, const clang::Expr &bytes) {
  const auto *product = dyn_cast<clang::BinaryOperator>(bytes.IgnoreParenCasts());
  if (!product || product->getOpcode() != clang::BO_Mul)
    return sizeOfPointers(program, target, bytes);
  const auto *left = pointersCountedBy(program, target, *product->getLHS());
  return left ? left : pointersCountedBy(program, target, *product->getRHS());
}

/// The view that a type `R *` or `const R *` becomes.
std::string viewFor(const Target &target, clang::QualType pointer, const clang::DeclContext *user) {
  return spelledFor(target,
                    pointer->getPointeeType().isConstQualified() ? target.names.constView
                                                                 : target.names.view,
                    user);
}

/// A written type gets other text, with the `const` in front of it.
void editType(TokenEdits &edits, clang::TypeLoc type, const std::string &text) {
  const auto first = edits.reader().spelled(type.getBeginLoc());
  const auto last = edits.reader().spelled(type.getEndLoc());
  auto range = first && last ? edits.reader().range({*first, *last}) : std::nullopt;
  if (!range)
    return edits.fail(type.getBeginLoc());
  static constexpr std::string_view kConst = "const";
  const std::string_view before =
      std::string_view(edits.reader().fileText(range->begin.path)).substr(0, range->begin.offset);
  if (const std::size_t end = before.find_last_not_of(" \t\n") + 1;
      end < before.size() && before.substr(0, end).ends_with(kConst))
    range->begin.offset = static_cast<unsigned>(end - kConst.size());
  edits.add({*range, text});
}

/// `sizeof(R *)` names the view; `sizeof(p)` follows by itself.
std::optional<Refusal> editBytes(const Program &program, const Target &target,
                                 const clang::DeclContext *user, TokenEdits &edits,
                                 const clang::Expr &bytes, const std::string &name) {
  const clang::UnaryExprOrTypeTraitExpr *size = pointersCountedBy(program, target, bytes);
  if (!size)
    return Refusal{Code::DeclarationFixed,
                   fmt::format("'{}' is given pointers to '{}' with a size that is not theirs",
                               name, target.shape.name),
                   bytes.getExprLoc(),
                   fmt::format("write the size as sizeof({} *)", target.shape.name)};
  if (!size->isArgumentType())
    return std::nullopt;
  if (size->getArgumentType()->isPointerType())
    editType(edits, size->getArgumentTypeInfo()->getTypeLoc(),
             viewFor(target, size->getArgumentType(), user));
  else
    edits.fail(size->getExprLoc());
  return std::nullopt;
}

/// The other side of a copy of pointers has to hold views of the same layout.
/// \param isSymbol  the side names a variable in device memory, not its address
bool isOfViews(const Climb &climb, const clang::Expr &side, bool isSymbol) {
  const clang::Expr *bare = side.IgnoreParenCasts();
  const clang::QualType type = bare->getType();
  const bool isVariable = isSymbol || !type->isPointerType();
  if (!(isSymbol && type->isPointerType()) && !leadsToPointers(type))
    return false;
  if (!isOfPointers(climb.target, isVariable ? type : type->getPointeeType()))
    return false;
  const std::uint32_t group = climb.program.flow.groupOf(bare);
  const auto found = climb.program.targets.find(group);
  return found != climb.program.targets.end() && found->second == &climb.target;
}

/// A copy of whole pointers to the device, or within it.
/// \param isSymbol  one side is a variable in device memory, filled from its start
bool staysOrGoesToDevice(const clang::CallExpr &copy, bool isSymbol) {
  constexpr unsigned kOffsetInSymbol = 3, kDirectionOfSymbolCopy = 4;
  if (!isSymbol) {
    const std::string direction = directionOf(copy);
    return direction == "cudaMemcpyHostToDevice" || direction == "cudaMemcpyDeviceToDevice";
  }
  if (copy.getNumArgs() <= kDirectionOfSymbolCopy)
    return false;
  const clang::Expr *offset = copy.getArg(kOffsetInSymbol)->IgnoreParenImpCasts();
  const auto *number = dyn_cast<clang::IntegerLiteral>(offset);
  const auto *direction =
      dyn_cast<clang::DeclRefExpr>(copy.getArg(kDirectionOfSymbolCopy)->IgnoreParenImpCasts());
  return (isa<clang::CXXDefaultArgExpr>(offset) || (number && number->getValue() == 0)) &&
         (isa<clang::CXXDefaultArgExpr>(copy.getArg(kDirectionOfSymbolCopy)) ||
          (direction && direction->getDecl()->getName() != "cudaMemcpyDeviceToHost"));
}

std::optional<Step> pointersInCudaCall(Climb &climb, const clang::Expr &argument,
                                       clang::QualType given, const clang::CallExpr &call) {
  const std::string name = runtimeName(climb.program, call);
  const CudaCall *known = cudaCallNamed(name);
  const std::optional<unsigned> symbol = known ? known->symbolPosition() : std::nullopt;
  const bool isSymbol =
      symbol && call.getArg(*symbol) == &argument && isOfPointers(climb.target, argument.getType());
  if (!known || (!known->isGenerated && !symbol) || !(isSymbol || leadsToPointers(given)))
    return std::nullopt;
  constexpr unsigned kBytesOfAllocation = 1, kBytesOfCopy = 2;
  TokenEdits edits = climb.edits();
  if (known->kind == CudaCallKind::Free && call.getArg(0) == &argument)
    return climb.done(std::move(edits));
  std::optional<Refusal> refusal;
  if (known->kind == CudaCallKind::Allocation && call.getArg(0) == &argument &&
      leadsToPointers(given->getPointeeType())) {
    refusal = editBytes(climb.program, climb.target, climb.function, edits,
                        *call.getArg(kBytesOfAllocation), name);
  } else if (known->kind == CudaCallKind::Copy &&
             (call.getArg(0) == &argument || call.getArg(1) == &argument)) {
    const unsigned other = call.getArg(0) == &argument ? 1 : 0;
    if (!isOfViews(climb, *call.getArg(other), symbol == other))
      return refused(Code::UnsupportedCudaCall,
                     "pointers to rewritten arrays are copied to or from memory that holds others",
                     call.getExprLoc(), "keep them in variables of their own type");
    if (symbol == 1u || !staysOrGoesToDevice(call, symbol.has_value()))
      return refused(Code::UnsupportedCudaCall,
                     symbol ? "pointers to rewritten arrays are copied from a variable in device "
                              "memory, or behind its start"
                            : "pointers to rewritten arrays may be copied to the host here, where "
                              "they are other bytes than before",
                     call.getExprLoc(), "keep them on the host as well, and copy them from there");
    if (!isSymbol) // the pointer's side sees to the size
      refusal = editBytes(climb.program, climb.target, climb.function, edits,
                          *call.getArg(kBytesOfCopy), name);
  } else {
    return std::nullopt;
  }
  if (refusal)
    return Step{.refusal = std::move(refusal)};
  return climb.done(std::move(edits));
}

} // namespace

std::optional<Step> pointersInCudaCall(Climb &climb, const clang::Expr &given) {
  const clang::Expr *current = &given;
  while (const auto *parent =
             dyn_cast_or_null<clang::Expr>(climb.program.index.parentOf(current).stmt)) {
    if (const auto *call = dyn_cast<clang::CallExpr>(parent))
      return pointersInCudaCall(climb, *current, given.getType(), *call);
    if (!isa<clang::ParenExpr, clang::ImplicitCastExpr>(parent) && !isVoidPointerCast(parent) &&
        !isAddressCast(parent))
      return std::nullopt;
    current = parent;
  }
  return std::nullopt;
}

namespace {

/// `malloc(bytes)`, `calloc(n, bytes)`.
bool isHostAllocation(const Program &program, const clang::CallExpr &call) {
  const std::string name = runtimeName(program, call);
  return (name == "malloc" && call.getNumArgs() == 1) ||
         (name == "calloc" && call.getNumArgs() == 2);
}

/// `new R *[n]`, without arguments and with elements that are null or nothing yet.
bool makesPointers(const clang::CXXNewExpr &made) {
  const clang::Expr *start = made.getInitializer();
  const auto *list = dyn_cast_or_null<clang::InitListExpr>(start);
  return made.getNumPlacementArgs() == 0 && made.getAllocatedTypeSourceInfo() &&
         (!start || isa<clang::ImplicitValueInitExpr>(start) ||
          (list && list->isSemanticForm() && list->getNumInits() == 0) ||
          (isa<clang::ParenListExpr>(start) &&
           cast<clang::ParenListExpr>(start)->getNumExprs() == 0));
}

} // namespace

bool isMemoryOfViews(const Program &program, const clang::Expr *value, const Target &target) {
  value = value->IgnoreParenImpCasts();
  if (!value->getType()->isPointerType() || !value->getType()->getPointeeType()->isPointerType() ||
      !isOfPointers(target, value->getType()->getPointeeType()))
    return false;
  if (const auto *made = dyn_cast<clang::CXXNewExpr>(value))
    return makesPointers(*made);
  const auto *conversion = dyn_cast<clang::ExplicitCastExpr>(value);
  const auto *call =
      conversion ? dyn_cast<clang::CallExpr>(conversion->getSubExpr()->IgnoreParenImpCasts())
                 : nullptr;
  return call && isHostAllocation(program, *call);
}

void editMemoryOfViews(Program &program, const clang::Expr *value, const Target &target) {
  value = value->IgnoreParenImpCasts();
  const clang::DeclContext *user = program.index.functionAround(value);
  const clang::QualType pointer = value->getType()->getPointeeType();
  const std::string view = viewFor(target, pointer, user);
  TokenEdits edits(program.reader);
  std::optional<Refusal> refusal;
  if (const auto *made = dyn_cast<clang::CXXNewExpr>(value)) {
    editType(edits, made->getAllocatedTypeSourceInfo()->getTypeLoc(), view);
  } else {
    const auto &conversion = *cast<clang::ExplicitCastExpr>(value);
    const auto &call = *cast<clang::CallExpr>(conversion.getSubExpr()->IgnoreParenImpCasts());
    editType(edits, conversion.getTypeInfoAsWritten()->getTypeLoc(), view + " *");
    const std::string name = runtimeName(program, call);
    const clang::Expr *bytes = call.getArg(0);
    if (call.getNumArgs() > 1 && !pointersCountedBy(program, target, *bytes))
      bytes = call.getArg(1);
    refusal = editBytes(program, target, user, edits, *bytes, name);
  }
  const std::optional<FilePlace> place = program.reader.place(value->getExprLoc());
  if (!refusal && (!place || edits.failed()))
    refusal = Refusal{Code::EditInMacro, "memory for pointers is made in the body of a macro",
                      value->getExprLoc(), "write the allocation out"};
  if (refusal) {
    refusal->text =
        fmt::format("arrays of '{}' are not rewritten: {}", target.shape.name, refusal->text);
    return program.findings.refuse(std::move(*refusal));
  }
  program.editedFiles[&target].insert(place->path);
  if (!program.editsIn(user).add(*place, edits.take()))
    program.findings.refuse({Code::ConflictingEdits,
                             "one allocation would have to be edited in two ways",
                             value->getExprLoc(), "write the uses out"});
}

const clang::Expr *containerIn(const clang::Expr *value) {
  value = value->IgnoreParens()->IgnoreImplicit();
  const auto *copy = dyn_cast<clang::CXXConstructExpr>(value);
  return copy && copy->isElidable() ? containerIn(copy->getArg(0)) : value; // before C++17
}

clang::TypeLoc heldTypeMade(const clang::Expr *value) {
  value = containerIn(value);
  const clang::TypeSourceInfo *made = nullptr;
  if (const auto *conversion = dyn_cast<clang::CXXFunctionalCastExpr>(value))
    made = conversion->getTypeInfoAsWritten();
  else if (const auto *temporary = dyn_cast<clang::CXXTemporaryObjectExpr>(value))
    made = temporary->getTypeSourceInfo();
  const clang::TypeLoc held = made ? heldTypeIn(made->getTypeLoc()) : clang::TypeLoc();
  return held && !readType(held).isOfTemplate ? held : clang::TypeLoc();
}

void editMadeContainer(Program &program, const clang::Expr *value, const Target &target) {
  const clang::TypeLoc held = heldTypeMade(value);
  if (!held)
    return;
  value = containerIn(value);
  const clang::DeclContext *user = program.index.functionAround(value);
  TokenEdits edits(program.reader);
  editType(edits, held, viewFor(target, held.getType(), user));
  const std::optional<FilePlace> place = program.reader.place(held.getBeginLoc());
  if (!place || edits.failed())
    return program.findings.refuse({Code::EditInMacro,
                                    "a container of pointers is made in the body of a macro",
                                    value->getExprLoc(), "write the expression out"});
  program.editedFiles[&target].insert(place->path);
  if (!program.editsIn(user).add(*place, edits.take()))
    program.findings.refuse({Code::ConflictingEdits,
                             "one container would have to be edited in two ways",
                             value->getExprLoc(), "write the uses out"});
}

bool countsBytesOfPointers(const Climb &climb, const clang::UnaryExprOrTypeTraitExpr &size) {
  const clang::Stmt *current = &size;
  const clang::Stmt *parent = climb.program.index.parentOf(current).stmt;
  const auto isProduct = [](const clang::Stmt *statement) {
    const auto *product = dyn_cast<clang::BinaryOperator>(statement);
    return product && product->getOpcode() == clang::BO_Mul;
  };
  while (parent && (isa<clang::ParenExpr, clang::CastExpr>(parent) || isProduct(parent))) {
    current = parent;
    parent = climb.program.index.parentOf(current).stmt;
  }
  const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
  const CudaCall *known = call ? cudaCallNamed(runtimeName(climb.program, *call)) : nullptr;
  const std::optional<unsigned> symbol = known ? known->symbolPosition() : std::nullopt;
  if (call && !known && isHostAllocation(climb.program, *call)) {
    const auto *made = dyn_cast_or_null<clang::Expr>(climb.program.index.parentOf(call).stmt);
    return made && isMemoryOfViews(climb.program, made, climb.target);
  }
  if (!known || (!known->isGenerated && !symbol) || call->getNumArgs() < 2)
    return false;
  const clang::Expr *bytes = cast<clang::Expr>(current);
  if (known->kind == CudaCallKind::Copy)
    return call->getNumArgs() > 2 && call->getArg(2) == bytes &&
           isOfViews(climb, *call->getArg(0), symbol == 0u);
  return known->kind == CudaCallKind::Allocation && call->getArg(1) == bytes &&
         leadsToPointers(call->getArg(0)->IgnoreParenCasts()->getType()->getPointeeType());
}

} // namespace relayout::rewriter
