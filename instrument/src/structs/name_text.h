// SPDX-License-Identifier: Apache-2.0
// Names in a file's text, as they are written.
#pragma once

#include <clang/AST/DeclCXX.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relayout::instrument {

[[nodiscard]] bool isWordCharacter(char c);
[[nodiscard]] bool containsWord(std::string_view text, std::string_view word);

/// The text with identifiers exchanged, but for members behind `.` and `->`.
[[nodiscard]] std::string renamed(const std::string &text,
                                  const std::map<std::string, std::string> &names);

/// Where the qualifiers of a name begin.
[[nodiscard]] unsigned beginOfQualifiers(const std::string &text, unsigned name);

/// Behind the `>` that closes a name's arguments; nothing where they are more than names.
[[nodiscard]] std::optional<unsigned> endOfArguments(const std::string &text, unsigned name);

/// What stands in front of the text on the line of a place.
[[nodiscard]] std::string spaceBefore(const std::string &text, unsigned offset);

/// Lines behind the first without these blanks in front.
[[nodiscard]] std::string outdented(const std::string &text, const std::string &indentation);

/// The names of the namespaces around a declaration, from outside; unnamed and inline ones have
/// none.
[[nodiscard]] std::vector<std::string> spacesAround(const clang::Decl &declaration);

/// `a::b::name`
[[nodiscard]] std::string nameInside(const std::vector<std::string> &spaces,
                                     const std::string &name);

/// Its own, or that of the typedef that names it.
[[nodiscard]] std::string ownNameOf(const clang::CXXRecordDecl &record);

} // namespace relayout::instrument
