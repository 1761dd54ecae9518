// SPDX-License-Identifier: Apache-2.0
// `std::unique_ptr<Particle[], Free>`: objects of the standard library's that own an array by a
// pointer whose type their deleter decides.
#pragma once

#include <clang/AST/DeclTemplate.h>

#include <vector>

namespace clang {
class ASTContext;
} // namespace clang

namespace relayout::instrument {

/// The parameter of D's `operator()(R *p)`, for a std::unique_ptr of R or R[] whose deleter D is a
/// class with that function alone, and which says no other pointer type. It stands for the pointer
/// that such objects own: what they are given ends there. Null for all other types.
[[nodiscard]] const clang::ParmVarDecl *ownedPointer(clang::QualType type);

/// The same for a pointer or reference that a member function of such a class takes or returns;
/// null for all other declarations.
[[nodiscard]] const clang::ParmVarDecl *ownedThrough(const clang::ValueDecl &declaration);

/// The same for a member function, whatever it takes and returns.
[[nodiscard]] const clang::ParmVarDecl *ownedByObjectOf(const clang::FunctionDecl &function);

/// `using pointer = R *;` of a deleter; null: it has none.
[[nodiscard]] const clang::TypedefNameDecl *pointerTypeOf(const clang::CXXRecordDecl &deleter);

/// Those of all such types that a unit instantiates.
[[nodiscard]] std::vector<const clang::ParmVarDecl *> ownedPointers(const clang::ASTContext &ast);

/// Any std::unique_ptr with a deleter that is not the library's.
[[nodiscard]] bool hasOwnDeleter(const clang::ClassTemplateSpecializationDecl &instance);

/// All of them that a unit instantiates.
[[nodiscard]] std::vector<const clang::ClassTemplateSpecializationDecl *>
ownersIn(const clang::ASTContext &ast);

/// R of a std::unique_ptr of R or R[].
[[nodiscard]] clang::QualType
ownedElement(const clang::ClassTemplateSpecializationDecl &uniquePointer);
/// Its deleter's type.
[[nodiscard]] clang::QualType
deleterOf(const clang::ClassTemplateSpecializationDecl &uniquePointer);

/// The only `operator()` of a class, if that is no template; null: there are others, or none.
[[nodiscard]] const clang::CXXMethodDecl *onlyCallOf(const clang::CXXRecordDecl &deleter);

} // namespace relayout::instrument
