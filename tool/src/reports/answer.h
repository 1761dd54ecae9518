// SPDX-License-Identifier: Apache-2.0
// What a command found, as text for a person or, with --json, as one JSON object for a program.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace relayout {
struct Diagnostic;
}

namespace relayout::tool {

/// From here on this process answers with one JSON object on stdout; all else that it and the
/// processes that it starts print goes to stderr. docs/command-line.md has the keys.
void answerInJson(const std::string &command);

/// Sets a key of the object's "result". Without --json nothing happens.
void answer(const std::string &key, nlohmann::ordered_json value);

/// Adds to the object's "diagnostics".
void answerDiagnostic(const Diagnostic &diagnostic);

/// Prints the object, if it was asked for.
/// \returns  the exit code
int endAnswer(int exitCode);

} // namespace relayout::tool
