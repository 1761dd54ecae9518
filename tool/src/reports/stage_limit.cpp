// SPDX-License-Identifier: Apache-2.0
// `--limit`, by the alarm signal: a stage may be anywhere, inside Clang for one.
#include "reports/stage_limit.h"

#include "relayout/base/diagnostic.h"

#include <fmt/format.h>

#include <csignal>
#include <unistd.h>

namespace relayout::tool {
namespace {

unsigned limitSeconds = 0;

/// Made before the alarm rings, as its handler may not make it.
std::string &lastWords() {
  static std::string words;
  return words;
}

void endForLimit(int) {
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, lastWords().data(), lastWords().size());
  _exit(static_cast<int>(ExitCode::Failed));
}

} // namespace

void limitStages(std::chrono::seconds limit) {
  limitSeconds = static_cast<unsigned>(limit.count());
  beginLimitedStage("the command");
}

std::chrono::seconds stageLimit() { return std::chrono::seconds(limitSeconds); }

void beginLimitedStage(const std::string &stage) {
  if (limitSeconds == 0)
    return;
  alarm(0);
  lastWords() = "\n" + render({Severity::Error,
                               Code::None,
                               fmt::format("{} timed out after {} s", stage, limitSeconds),
                               {},
                               {{{}, "--limit sets how long a stage may take"}}});
  std::signal(SIGALRM, endForLimit);
  alarm(limitSeconds);
}

} // namespace relayout::tool
