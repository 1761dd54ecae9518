// SPDX-License-Identifier: Apache-2.0
// The text of a method outside of its class: `this` is a parameter there.
#pragma once

#include "structs/object_names.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace relayout::instrument {

/// A method, and the function that it becomes.
struct Method {
  std::string symbol;
  std::string function;
  std::string record;
};
using Methods = std::map<std::string, Method>; ///< by the method's symbol

/// Changes of one file's text, by offset: up to where, and what stands there instead.
using Changes = std::map<unsigned, std::pair<unsigned, std::string>>;

/// `contacts[i].add(point)`, `contact->add(point)`
struct MethodCall {
  const clang::CXXMemberCallExpr *call = nullptr;
  const clang::MemberExpr *member = nullptr;
  const Method *method = nullptr;
};

[[nodiscard]] std::string symbolOfMethod(ParsedUnit &unit, const clang::CXXMethodDecl &method);

/// \returns  nulls where the method stays one
[[nodiscard]] MethodCall methodCallOf(ParsedUnit &unit, const clang::CXXMemberCallExpr &call,
                                      const Methods &methods);

/// Behind the parenthesis that opens the arguments.
[[nodiscard]] std::optional<unsigned> argumentsOf(const std::string &file, const TypePlace &name,
                                                  std::size_t nameLength);

[[nodiscard]] bool hasArguments(const clang::CallExpr &call);

/// What a method says otherwise outside of its class.
struct MethodBody {
  Changes changes;
  std::set<std::string> called; ///< methods of the same object that become functions, by symbol
};

/// \param object  the name of the parameter that takes the place of `this`
/// \param changes  of the file, made already
/// \returns  nothing where the text needs the class around it
[[nodiscard]] std::optional<MethodBody> bodyOutside(ParsedUnit &unit,
                                                    const clang::CXXMethodDecl &method,
                                                    const Methods &methods, const std::string &file,
                                                    std::string object, Changes changes);

} // namespace relayout::instrument
