// SPDX-License-Identifier: Apache-2.0
// Refuses orders of elements, and what is larger than shared memory.
#include "apply/array_variables.h"

#include "relayout/analysis/gpu/geometry.h"
#include "relayout/instrument/clang/shared_arrays.h"
#include "relayout/instrument/clang/static_arrays.h"

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

/// One of a template's pattern takes what its instances take.
bool fitsSharedMemory(const clang::VarDecl &array, const Target &target) {
  const auto bound = analysis::AddressFunction::bind(target.layout, layoutFieldsOf(target.shape),
                                                     instrument::elementsOf(array));
  return bound && bound->totalBytes() <= analysis::kMostStaticSharedBytes;
}

} // namespace

void noteArrayVariables(const instrument::ArrayGroup &arrays, Target &target, Program &program) {
  for (const clang::ValueDecl *declaration : arrays.declarations) {
    if (!instrument::isArrayVariable(*declaration))
      continue;
    target.isInVariables = program.parts[&target].inVariables = true;
    const std::string name = instrument::ArrayFlow::nameOf(declaration);
    if (instrument::isSharedArray(*declaration) &&
        !fitsSharedMemory(clang::cast<clang::VarDecl>(*declaration), target))
      program.findings.refuse(
          Code::OtherMemory,
          fmt::format("'{}' is not rewritten: it would take more than the {} bytes of shared "
                      "memory that variables may",
                      name, analysis::kMostStaticSharedBytes),
          declaration->getLocation(), "choose a layout without padding");
    if (!target.layout.order.isAsNumbered())
      program.findings.refuse(
          Code::OtherMemory,
          fmt::format("'{}' is not rewritten: arrays in variables keep the order of their elements",
                      name),
          declaration->getLocation(), "allocate the array by cudaMalloc");
  }
}

} // namespace relayout::rewriter
