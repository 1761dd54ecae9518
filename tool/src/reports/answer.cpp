// SPDX-License-Identifier: Apache-2.0
// What a command found, as text for a person or, with --json, as one JSON object for a program.
#include "reports/answer.h"

#include "relayout/base/diagnostic.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <unistd.h>

namespace relayout::tool {
namespace {

using Json = nlohmann::ordered_json;

/// Of the keys that docs/command-line.md documents. One more when a key goes or changes its
/// meaning.
constexpr int kAnswerVersion = 1;

struct Answer {
  std::string command;
  FILE *stream = nullptr; ///< the stdout that this process was given
  Json diagnostics = Json::array();
  Json result = Json::object();
};

std::mutex answerMutex; ///< `batch` reports from several threads
std::optional<Answer> answerOfUs;

Json placeOf(const SourcePlace &place) {
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Json toJson(const Diagnostic &diagnostic) {
  Json notes = Json::array();
  for (const Note &note : diagnostic.notes)
    notes.push_back({{"where", placeOf(note.where)}, {"text", note.text}});
  return {{"severity", severityName(diagnostic.severity)},
          {"code", diagnostic.code == Code::None ? "" : codeName(diagnostic.code)},
          {"text", diagnostic.text},
          {"where", placeOf(diagnostic.where)},
          {"notes", notes}};
}

} // namespace

void answerInJson(const std::string &command) {
  std::fflush(stdout);
  const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  FILE *const stream = kept < 0 ? nullptr : fdopen(kept, "w");
  if (stream && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
    answerOfUs.emplace(Answer{.command = command, .stream = stream});
}

void answer(const std::string &key, Json value) {
  const std::scoped_lock lock(answerMutex);
  if (answerOfUs)
    answerOfUs->result[key] = std::move(value);
}

void answerDiagnostic(const Diagnostic &diagnostic) {
  const std::scoped_lock lock(answerMutex);
  if (answerOfUs)
    answerOfUs->diagnostics.push_back(toJson(diagnostic));
}

int endAnswer(int exitCode) {
  if (!answerOfUs)
    return exitCode;
  const Json object{{"format", "relayout-answer"},
                    {"version", kAnswerVersion},
                    {"command", answerOfUs->command},
                    {"exit_code", exitCode},
                    {"diagnostics", answerOfUs->diagnostics},
                    {"result", answerOfUs->result}};
  // What is no UTF-8 comes from programs and their sources; it stops no answer.
  fmt::print(answerOfUs->stream, "{}\n",
             object.dump(1, ' ', false, Json::error_handler_t::replace));
  std::fclose(answerOfUs->stream);
  return exitCode;
}

} // namespace relayout::tool
