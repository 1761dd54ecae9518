// SPDX-License-Identifier: Apache-2.0
// How a declaration spells its type, token by token.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/TypeLoc.h>

#include <string>

namespace relayout::rewriter {

/// How a declaration writes its type: `base declarator-part`, as in `Particle *`.
struct WrittenType {
  clang::SourceLocation base = {};         ///< last token of the type's name, or `auto`
  clang::SourceLocation keyword = {};      ///< `struct` or `unsigned` before it, or invalid
  clang::SourceLocation qualifier = {};    ///< first token of `Grid::Cell`, or invalid
  clang::SourceLocation templateName = {}; ///< first token of `Particle<float>`, or invalid
  clang::SourceLocation sign = {};   ///< `*`, `&` or `&&`; invalid for an alias of the pointer type
  clang::SourceRange brackets = {};  ///< of a parameter written as an array, and of rows
  clang::SourceRange parens = {};    ///< around the declarator of a pointer to rows
  clang::SourceRange container = {}; ///< `<…>` around the pointer type that a container holds
  bool isAuto = false;
  bool isTemplateParameter = false; ///< in an instantiation: the base is the parameter's name
  bool isOfTemplate = false;        ///< that, or a parameter is among the arguments: `Particle<T>`
  const clang::NamedDecl *alias = nullptr; ///< a typedef, or what a using-declaration brought in
  bool isQualified = false;                ///< the alias is written with `::`
  bool isOfPlainClass = false;             ///< by a class that no template makes: `Mesh::Item`
  std::string problem;                     ///< why it cannot be edited
};

[[nodiscard]] WrittenType readType(clang::TypeLoc type);

/// The `R *` of `std::vector<R *>`; null where an alias names the container, and for other types.
[[nodiscard]] clang::TypeLoc heldTypeIn(clang::TypeLoc container);

/// The same of a declaration in a template, as its instances have it.
[[nodiscard]] WrittenType readTypeInTemplate(clang::TypeLoc type);

/// The part of a type that all declarators of a declaration share: `Particle` of `Particle *a,
/// b[3]`.
[[nodiscard]] WrittenType readSharedBase(clang::TypeLoc type);

} // namespace relayout::rewriter
