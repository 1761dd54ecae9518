// SPDX-License-Identifier: Apache-2.0
// Diagnostics, diffs and progress, as a person reads them.
#include "reports/console.h"

#include "reports/answer.h"
#include "reports/stage_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <unistd.h>

namespace relayout::tool {

namespace {

/// Warnings and remarks of one code that a person may want to read one by one.
constexpr std::size_t kMostOfOneCode = 10;

void show(const std::string &text) {
  // Where both go to one file, the order of what is printed is kept.
  std::fflush(stdout);
  fmt::print(stderr, "{}", text);
}

} // namespace

void printDiagnostic(const Diagnostic &diagnostic) {
  answerDiagnostic(diagnostic);
  show(render(diagnostic));
}

void printDiagnostics(const std::vector<Diagnostic> &diagnostics) {
  std::map<Code, std::size_t> counts;
  for (const Diagnostic &diagnostic : diagnostics) {
    answerDiagnostic(diagnostic);
    if (diagnostic.severity == Severity::Error || ++counts[diagnostic.code] <= kMostOfOneCode)
      show(render(diagnostic));
  }
  for (const auto &[code, count] : counts)
    if (count > kMostOfOneCode)
      show(render(
          {Severity::Remark,
           code,
           fmt::format("{} more of these are not shown; --json has them", count - kMostOfOneCode),
           {},
           {}}));
}

int report(const Error &error) {
  printDiagnostic(toDiagnostic(error));
  return static_cast<int>(diagnosticEntry(error.code).exitCode);
}

namespace {

bool hasColour() {
  const char *noColour = std::getenv("NO_COLOR");
  const char *terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (!noColour || *noColour == '\0') &&
         !(terminal && std::string_view(terminal) == "dumb");
}

/// As git colours it; empty: not at all.
const char *colourOf(std::string_view line) {
  if (line.starts_with("+++") || line.starts_with("---"))
    return "\033[1m";
  if (line.starts_with("@@"))
    return "\033[36m";
  if (line.starts_with('+'))
    return "\033[32m";
  return line.starts_with('-') ? "\033[31m" : "";
}

} // namespace

void printDiff(const std::string &diff) {
  const bool isColoured = hasColour();
  for (std::size_t start = 0; start < diff.size();) {
    const std::size_t end = std::min(diff.find('\n', start), diff.size());
    const std::string_view line(diff.data() + start, end - start);
    const char *const colour = isColoured ? colourOf(line) : "";
    fmt::print("{}{}{}\n", colour, line, *colour ? "\033[0m" : "");
    start = end + 1;
  }
  std::fflush(stdout);
}

namespace {

const char *lastWordsOfUs = "";

void endBySignal(int signal) {
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, lastWordsOfUs, std::strlen(lastWordsOfUs));
  std::signal(signal, SIG_DFL);
  raise(signal);
}

} // namespace

void sayWhenInterrupted(const char *lastWords) {
  lastWordsOfUs = lastWords;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, endBySignal);
}

namespace {

struct {
  std::mutex mutex;
  std::function<std::string()> how;
} progressSource;

/// Between two lines about a stage that lasts, where lines are not redrawn.
constexpr std::chrono::seconds kBetweenLines{60};

} // namespace

ProgressSource::ProgressSource(std::function<std::string()> how) {
  const std::scoped_lock lock(progressSource.mutex);
  progressSource.how = std::move(how);
}

ProgressSource::~ProgressSource() {
  const std::scoped_lock lock(progressSource.mutex);
  progressSource.how = nullptr;
}

Progress::Progress(int stages, bool quiet)
    : stages_(stages), quiet_(quiet), isLive_(!quiet && isatty(STDERR_FILENO) == 1) {
  if (!quiet_)
    clock_ = std::thread([this] { keepTime(); });
}

Progress::~Progress() {
  {
    const std::scoped_lock lock(mutex_);
    isOver_ = true;
  }
  over_.notify_all();
  if (clock_.joinable())
    clock_.join();
}

void Progress::begin(const std::string &what) {
  const std::scoped_lock lock(mutex_);
  endStage();
  beginLimitedStage(fmt::format("stage '{}'", what));
  ++current_;
  open_ = true;
  what_ = what;
  how_.clear();
  start_ = std::chrono::steady_clock::now();
  if (!quiet_)
    draw(what);
}

void Progress::note(const std::string &how) {
  const std::scoped_lock lock(mutex_);
  if (!open_ || !isLive_)
    return;
  how_ = how;
  redraw();
}

void Progress::end() {
  const std::scoped_lock lock(mutex_);
  endStage();
}

void Progress::endStage() {
  if (!open_)
    return;
  open_ = false;
  if (isLive_) {
    fmt::print(stderr, "\r\033[K");
    draw(what_);
  }
  if (!quiet_)
    fmt::print(stderr, " {:6.2f} s\n", seconds());
}

void Progress::draw(const std::string &what) const {
  std::fflush(stdout); // what was reported stands in front of it in one file
  fmt::print(stderr, "[{}/{}] {:<58}", current_, stages_, what);
  std::fflush(stderr);
}

/// The line of a stage that lasts.
void Progress::redraw() const {
  fmt::print(stderr, "\r\033[K");
  draw(how_.empty() ? what_ : what_ + ": " + how_);
  fmt::print(stderr, " {:4.0f} s", seconds());
  std::fflush(stderr);
}

void Progress::askSource() {
  const std::scoped_lock lock(progressSource.mutex);
  if (!progressSource.how)
    return;
  if (std::string how = progressSource.how(); !how.empty())
    how_ = std::move(how);
}

void Progress::keepTime() {
  std::unique_lock lock(mutex_);
  const std::chrono::seconds between = isLive_ ? std::chrono::seconds(1) : kBetweenLines;
  while (!over_.wait_for(lock, between, [this] { return isOver_; })) {
    if (!open_ || seconds() < std::chrono::duration<double>(between).count())
      continue;
    askSource();
    if (isLive_)
      redraw();
    else
      fmt::print(stderr, "\n      {:.0f} s so far{}{}\n", seconds(), how_.empty() ? "" : ": ",
                 how_);
  }
}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

} // namespace relayout::tool
