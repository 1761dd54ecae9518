// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of class templates.
#include "model/thrust_vectors.h"

#include <clang/AST/DeclTemplate.h>

#include <vector>

namespace relayout::instrument {
namespace {

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

bool isDevicePointer(clang::QualType type) {
  const clang::ClassTemplateSpecializationDecl *instance = instanceOf(type);
  return instance && instance->getName() == "device_ptr" && isOfThrust(*instance) &&
         elementOf(*instance);
}

const clang::CXXRecordDecl *elementOfDeviceIterator(clang::QualType type) {
  const clang::ClassTemplateSpecializationDecl *instance = instanceOf(type);
  if (instance && instance->getName() == "normal_iterator" && isOfThrust(*instance))
    instance =
        dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(recordArgument(*instance, 0));
  return instance && instance->getName() == "device_ptr" && isOfThrust(*instance)
             ? elementOf(*instance)
             : nullptr;
}

void addIteratedElements(clang::QualType type, std::set<const clang::CXXRecordDecl *> &elements) {
  if (const clang::CXXRecordDecl *element = elementOfDeviceIterator(type)) {
    elements.insert(element);
    return;
  }
  const clang::ClassTemplateSpecializationDecl *instance = instanceOf(type);
  if (!instance || elementOfDeviceVector(type))
    return;
  std::vector<clang::TemplateArgument> arguments = instance->getTemplateArgs().asArray().vec();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const clang::TemplateArgument argument = arguments[i];
    if (argument.getKind() == clang::TemplateArgument::Pack)
      arguments.insert(arguments.end(), argument.pack_begin(), argument.pack_end());
    else if (argument.getKind() == clang::TemplateArgument::Type)
      addIteratedElements(argument.getAsType(), elements);
  }
}

bool isHostIterator(clang::QualType type) {
  if (type.getNonReferenceType()->isPointerType())
    return true;
  const clang::ClassTemplateSpecializationDecl *instance = instanceOf(type);
  if (!instance ||
      (instance->getName() != "normal_iterator" && instance->getName() != "__normal_iterator"))
    return false;
  const clang::TemplateArgument &pointer = instance->getTemplateArgs()[0];
  return pointer.getKind() == clang::TemplateArgument::Type && pointer.getAsType()->isPointerType();
}

std::string nameOfHostVector(clang::QualType type) {
  const clang::ClassTemplateSpecializationDecl *instance = instanceOf(type);
  if (!instance || !elementOfHostContainer(type) || !hasAllocator(*instance, "allocator"))
    return {};
  return instance->getName() == "host_vector" ? "thrust::host_vector" : "std::vector";
}

} // namespace relayout::instrument
