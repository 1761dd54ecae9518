// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of class templates.
#include "model/thrust_vectors.h"

#include <clang/AST/DeclTemplate.h>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

const clang::ClassTemplateSpecializationDecl *instanceOf(clang::QualType type) {
  const clang::CXXRecordDecl *record =
      type.isNull() ? nullptr : type.getNonReferenceType()->getAsCXXRecordDecl();
  return dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
}

const clang::CXXRecordDecl *recordArgument(const clang::ClassTemplateSpecializationDecl &instance,
                                           unsigned index) {
  const clang::TemplateArgumentList &arguments = instance.getTemplateArgs();
  return index < arguments.size() && arguments[index].getKind() == clang::TemplateArgument::Type
             ? arguments[index].getAsType()->getAsCXXRecordDecl()
             : nullptr;
}

/// The second argument is the library's allocator for the first.
bool hasAllocator(const clang::ClassTemplateSpecializationDecl &instance, llvm::StringRef own,
                  llvm::StringRef before = {}) {
  const clang::CXXRecordDecl *allocator = recordArgument(instance, 1);
  return allocator && (isOfThrust(*allocator) || allocator->isInStdNamespace()) &&
         (allocator->getName() == own || (!before.empty() && allocator->getName() == before));
}

const clang::CXXRecordDecl *elementOf(const clang::ClassTemplateSpecializationDecl &instance) {
  const clang::CXXRecordDecl *element = recordArgument(instance, 0);
  return element ? element->getDefinition() : nullptr;
}

} // namespace

bool isOfThrust(const clang::Decl &declaration) {
  for (const clang::DeclContext *scope = declaration.getDeclContext(); scope;
       scope = scope->getParent())
    if (const auto *space = dyn_cast<clang::NamespaceDecl>(scope);
        space && space->getName() == "thrust")
      return true;
  return false;
}

const clang::CXXRecordDecl *elementOfDeviceVector(clang::QualType type) {
  const clang::ClassTemplateSpecializationDecl *instance = instanceOf(type);
  const bool isVector = instance && instance->getName() == "device_vector" &&
                        isOfThrust(*instance) &&
                        hasAllocator(*instance, "device_allocator", "device_malloc_allocator");
  return isVector ? elementOf(*instance) : nullptr;
}

bool isHostVectorOfThrust(clang::QualType type) {
  const clang::ClassTemplateSpecializationDecl *instance = instanceOf(type);
  return instance && instance->getName() == "host_vector" && isOfThrust(*instance);
}

const clang::CXXRecordDecl *elementOfHostContainer(clang::QualType type) {
  const clang::ClassTemplateSpecializationDecl *instance = instanceOf(type);
  if (!instance)
    return nullptr;
  const llvm::StringRef name = instance->getName();
  const bool isHostVector = isHostVectorOfThrust(type);
  const bool isStandard = (name == "vector" || name == "array") && instance->isInStdNamespace();
  return isHostVector || isStandard ? elementOf(*instance) : nullptr;
}

std::string nameOfHostVector(clang::QualType type) {
  const clang::ClassTemplateSpecializationDecl *instance = instanceOf(type);
  if (!instance || !elementOfHostContainer(type) || !hasAllocator(*instance, "allocator"))
    return {};
  return instance->getName() == "host_vector" ? "thrust::host_vector" : "std::vector";
}

} // namespace relayout::instrument
