// SPDX-License-Identifier: Apache-2.0
// Tells the instantiations of a template apart where they run: they share one text.
#pragma once

#include <clang/AST/ASTContext.h>

#include <string>

namespace relayout::instrument {

/// What typeid().name() says of the type on this platform (Itanium C++ ABI, section 5.1).
[[nodiscard]] std::string runtimeNameOf(clang::ASTContext &ast, clang::QualType type);

/// C++ that is true in the instantiations where the expression has the type of that name; false in
/// units without types at run time. It needs <typeinfo>, and does not evaluate the expression.
[[nodiscard]] std::string hasType(const clang::ASTContext &ast, const std::string &expression,
                                  const std::string &runtimeName);

} // namespace relayout::instrument
