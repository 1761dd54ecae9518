// SPDX-License-Identifier: Apache-2.0
// Runs compilers and user programs as child processes.
#include "processes/process.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace relayout::tool {
namespace {

/// Process groups that are running; 0: free. Fixed in place, as a signal handler reads it.
std::array<std::atomic<pid_t>, 256> groups;

const char *lastWordsOfUs = "";

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> starting = 0;      ///< threads that start a process that is not noted yet
std::atomic<bool> isEnding = false; ///< nothing may be started any more

/// While a thread starts a process and notes it, no signal is handled in it, and a handler in
/// another thread waits for it: what is started is ended as well.
class Starting {
public:
  Starting() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : kEndingSignals)
      sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
    ++starting;
    if (isEnding) {
      --starting;
      while (true)
        pause(); // until we end
    }
  }
  Starting(const Starting &) = delete;
  Starting &operator=(const Starting &) = delete;
  ~Starting() {
    --starting;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  /// Of the thread otherwise, and of what it starts.
  [[nodiscard]] const sigset_t &signalsBlockedBefore() const { return before_; }

private:
  sigset_t before_{};
};

void endGroups(int signal) {
  isEnding = true;
  while (starting != 0) {
  }
  for (const std::atomic<pid_t> &group : groups)
    if (group != 0)
      kill(-group, SIGKILL);
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, lastWordsOfUs, strlen(lastWordsOfUs));
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/// Notes a process group while it lives.
class NotedGroup {
public:
  explicit NotedGroup(pid_t group) {
    for (place_ = groups.begin(); place_ != groups.end(); ++place_)
      if (pid_t none = 0; place_->compare_exchange_strong(none, group))
        return;
  }
  NotedGroup(const NotedGroup &) = delete;
  NotedGroup &operator=(const NotedGroup &) = delete;
  ~NotedGroup() {
    if (place_ != groups.end())
      *place_ = 0;
  }

private:
  decltype(groups)::iterator place_;
};

/// \returns  whether it ended before the limit
bool endsWithin(std::chrono::seconds limit, pid_t child, int &wait) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (waitpid(child, &wait, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(-child, SIGKILL);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

void waitFor(pid_t child, int &wait) {
  while (waitpid(child, &wait, 0) < 0 && errno == EINTR) {
  }
}

} // namespace

std::string ProcessResult::describe() const {
  if (exceeded.count() != 0)
    return fmt::format("no end after {} s", exceeded.count());
  if (signal != 0)
    return fmt::format("signal {} ({})", signal, strsignal(signal));
  return fmt::format("exit code {}", exitCode);
}

Result<ProcessResult> runProcess(const ProcessRequest &request) {
  std::vector<char *> arguments;
  for (const std::string &word : request.command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);

  std::vector<std::string> variables;
  for (char **entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (!request.environment.contains(std::string(text.substr(0, text.find('=')))))
      variables.emplace_back(text);
  }
  for (const auto &[name, value] : request.environment)
    variables.push_back(name + "=" + value);
  std::vector<char *> environment;
  for (std::string &variable : variables)
    environment.push_back(variable.data());
  environment.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!request.outputFile.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, request.outputFile.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const bool hasLimit = request.limit.count() != 0;
  short flags = POSIX_SPAWN_SETSIGMASK;
  if (hasLimit) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawnattr_setpgroup(&attributes, 0);
    flags |= POSIX_SPAWN_SETPGROUP;
  }
  posix_spawnattr_setflags(&attributes, flags);
  pid_t child = 0;
  int status = 0;
  std::optional<NotedGroup> noted;
  {
    const Starting section;
    posix_spawnattr_setsigmask(&attributes, &section.signalsBlockedBefore());
    status = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(),
                          environment.data());
    if (status == 0 && hasLimit)
      noted.emplace(child);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0)
    return fail(Code::ProcessNotStarted,
                fmt::format("cannot start '{}': {}", request.command.front(), strerror(status)));
  int wait = 0;
  ProcessResult result;
  if (hasLimit && !endsWithin(request.limit, child, wait))
    result.exceeded = request.limit;
  if (!hasLimit || result.exceeded.count() != 0)
    waitFor(child, wait);
  if (WIFSIGNALED(wait))
    result.signal = WTERMSIG(wait);
  else
    result.exitCode = WEXITSTATUS(wait);
  return result;
}

void endProcessesWithUs(const char *lastWords) {
  lastWordsOfUs = lastWords;
  for (const int signal : kEndingSignals)
    std::signal(signal, endGroups);
}

} // namespace relayout::tool
