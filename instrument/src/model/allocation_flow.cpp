// SPDX-License-Identifier: Apache-2.0
// Reads such calls, and functions of the program that allocate through `void **`.
#include "model/allocation_flow.h"

#include "model/referents.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/static_arrays.h"
#include "relayout/instrument/clang/symbols.h"
#include "relayout/instrument/clang/untyped_functions.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>

#include <optional>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

/// Of `cudaMalloc(&rows, n * sizeof(R *))` with `R **rows`: what these point to comes from
/// elsewhere.
bool isToHoldPointers(clang::QualType target) {
  int levels = 0;
  for (; target->isPointerType(); target = target->getPointeeType())
    ++levels;
  return levels > 2;
}

Origins originsOf(CudaMemory memory) {
  Origins origins;
  origins.device = memory == CudaMemory::Device;
  origins.managed = memory == CudaMemory::Managed;
  origins.pinned = memory == CudaMemory::Host;
  origins.symbol = memory == CudaMemory::Symbol;
  origins.unknown = memory == CudaMemory::Unknown;
  return origins;
}

/// What an allocator of the program's is called, and why it is not followed.
std::string whyUnknown(const clang::FunctionDecl &callee, const clang::FunctionDecl *definition,
                       const UntypedFunction &function) {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&callee);
  const std::string name =
      method && method->getParent()->isLambda() ? "a lambda" : "'" + callee.getNameAsString() + "'";
  if (function.obstacle.empty())
    return name + ", which takes it for text";
  const bool mayStay =
      definition && (method || definition != callee.getDefinition() || definition->isExternC() ||
                     definition->isTemplateInstantiation());
  return name + ", which " +
         (mayStay ? "does more than to allocate as many bytes as it is asked for"
                  : function.obstacle);
}

} // namespace

bool AllocationFlow::note(const std::string &name, const clang::CallExpr &call) {
  const CudaCall *known = cudaCallNamed(name);
  const bool isCuda =
      known && (known->kind == CudaCallKind::Allocation || known->kind == CudaCallKind::Address);
  if (!isCuda && name != "posix_memalign")
    return false;
  if (call.getNumArgs() == 0)
    return true;
  if (isCuda && known->kind == CudaCallKind::Address &&
      (known->memory == CudaMemory::Host ||
       (call.getNumArgs() > 1 && namedStaticArray(call.getArg(1))))) {
    noteMapping(name, call);
    return true;
  }
  Origins origins = originsOf(isCuda ? known->memory : CudaMemory::Unknown);
  origins.host = !isCuda;
  origins.unknown &= isCuda;
  const clang::Expr *target = call.getArg(0)->IgnoreParenCasts();
  if (isToHoldPointers(target->getType()))
    return true;
  Referent referent;
  resolve(target, referent);
  for (const clang::ValueDecl *declaration : referent.declarations) {
    graph_.addOrigins(declaration, origins, call.getExprLoc());
    if (origins.unknown)
      graph_.addUnknown(declaration, "memory from '" + name + "'", call.getExprLoc());
  }
  return true;
}

void AllocationFlow::noteFilledIn(const clang::FunctionDecl &callee,
                                  llvm::ArrayRef<const clang::Expr *> arguments,
                                  clang::SourceLocation where) {
  for (unsigned i = 0; i < arguments.size() && i < callee.getNumParams(); ++i) {
    const clang::Expr *target = arguments[i]->IgnoreParenCasts();
    if (untypedLevel(callee.getParamDecl(i)->getType()) != 2 ||
        !recordTypeOf(target->getType()).record || isToHoldPointers(target->getType()) ||
        recordTypeOf(target->getType()).record ==
            recordTypeOf(callee.getParamDecl(i)->getType()).record) // an array of char
      continue;
    const UntypedFunction function = readUntyped(callee);
    Referent referent;
    resolve(target, referent);
    for (const clang::ValueDecl *declaration : referent.declarations) {
      const std::size_t pointer = function.obstacle.empty()
                                      ? function.pointerOf(function.function->getParamDecl(i))
                                      : UntypedFunction::kNone;
      if (pointer != UntypedFunction::kNone) {
        graph_.addOrigins(declaration, function.pointers[pointer].allocated, where);
        continue;
      }
      const clang::FunctionDecl *definition = definitionOf(callee);
      const auto allocation =
          definition ? allocationThrough(*definition, i) : std::optional<UntypedAllocation>();
      if (allocation) {
        Origins made = allocation->made;
        made.exact = true;
        graph_.addOrigins(declaration, made, where);
        continue;
      }
      graph_.addOrigins(declaration, originsOf(CudaMemory::Unknown), where);
      graph_.addUnknown(declaration, "memory from " + whyUnknown(callee, definition, function),
                        where);
    }
  }
}

/// This unit's, or another's.
const clang::FunctionDecl *AllocationFlow::definitionOf(const clang::FunctionDecl &callee) const {
  if (const clang::FunctionDecl *own = callee.getDefinition())
    return own;
  const auto known = definitions_.find(symbolOf(unit_, &callee));
  return known == definitions_.end() ? nullptr : known->second;
}

/// `cudaHostGetDevicePointer(&d, h, 0)`, `cudaGetSymbolAddress(&d, array)`: both lead to one
/// array.
void AllocationFlow::noteMapping(const std::string &name, const clang::CallExpr &call) {
  if (call.getNumArgs() < 2)
    return;
  const clang::Expr *source = call.getArg(1)->IgnoreParenCasts();
  Referent referent;
  resolve(call.getArg(0)->IgnoreParenCasts(), referent);
  for (const clang::ValueDecl *declaration : referent.declarations)
    if (recordTypeOf(declaration->getType()).record == recordTypeOf(source->getType()).record) {
      graph_.flow(declaration, source);
    } else {
      graph_.addOrigins(declaration, originsOf(CudaMemory::Unknown), call.getExprLoc());
      graph_.addUnknown(declaration, "memory from '" + name + "'", call.getExprLoc());
    }
}

} // namespace relayout::instrument
