// SPDX-License-Identifier: Apache-2.0
// How template arguments are written in code of ours.
#pragma once

#include <clang/AST/DeclTemplate.h>

#include <string>

namespace relayout::rewriter {

/// True for types and numbers, which can be written anywhere.
[[nodiscard]] bool areSpelled(llvm::ArrayRef<clang::TemplateArgument> arguments);

/// True for what code behind the template's own declaration can write: also functions and
/// templates of namespaces, by a name that is theirs alone.
[[nodiscard]] bool areWritten(llvm::ArrayRef<clang::TemplateArgument> arguments);

/// Whether code behind a place can name a type: none of a function's own, nor a closure's, nor one
/// that is declared later.
[[nodiscard]] bool isNamedBehind(clang::QualType type, clang::SourceLocation place,
                                 const clang::ASTContext &context);

/// The function that an argument names, or null.
[[nodiscard]] const clang::FunctionDecl *functionNamed(const clang::TemplateArgument &argument);

/// `float`, `lib::Real`, `3`, `::lib::kick`, `::lib::Grid`.
[[nodiscard]] std::string spelledArgument(const clang::TemplateArgument &argument,
                                          const clang::ASTContext &context);

/// The same in code that computes with it, where a number has its parameter's type: `3u`.
[[nodiscard]] std::string spelledValue(const clang::TemplateArgument &argument,
                                       const clang::ASTContext &context);

/// `<float, 3>`.
[[nodiscard]] std::string spelledList(llvm::ArrayRef<clang::TemplateArgument> arguments,
                                      const clang::ASTContext &context);

/// The definition that the header of a record follows: its own, or that of a record that it is
/// instantiated for, where this comes later.
[[nodiscard]] const clang::CXXRecordDecl &definedBeforeHeader(const clang::CXXRecordDecl &record);

/// Why a header behind that cannot name the instance.
[[nodiscard]] std::string
obstacleToInstance(const clang::ClassTemplateSpecializationDecl &instance);

} // namespace relayout::rewriter
