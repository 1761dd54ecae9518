// SPDX-License-Identifier: Apache-2.0
// Which fields the generated header can have planes for, and how it names their types.
#pragma once

#include <clang/AST/Decl.h>
#include <llvm/ADT/StringRef.h>

#include <string>

namespace relayout::rewriter {

/// A struct or enum of the record's own, which the header names by its member.
[[nodiscard]] bool isUnnamed(clang::QualType type);

[[nodiscard]] bool isHidden(clang::AccessSpecifier access);

/// A type that the header takes from the member's declaration: it has no name, or is a pointer to
/// functions, whose parameters may become views.
[[nodiscard]] bool isTakenFromMember(clang::QualType type);

/// nvcc allows no others in the names of device functions and their classes.
[[nodiscard]] bool isAscii(llvm::StringRef name);

/// Why the header cannot have the field, behind its name: "is a reference"; empty where it can.
[[nodiscard]] std::string refusalForField(const clang::FieldDecl &field);

} // namespace relayout::rewriter
