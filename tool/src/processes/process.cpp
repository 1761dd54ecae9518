// SPDX-License-Identifier: Apache-2.0
// Runs compilers and user programs as child processes.
#include "processes/process.h"

#include "processes/standard_input.h"
#include "processes/watchdog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace relayout::tool {
namespace {

/// The words of a command or an environment as the system calls take them.
class WordList {
public:
  explicit WordList(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::string &word : words_)
      pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  WordList(const WordList &) = delete;
  WordList &operator=(const WordList &) = delete;
  [[nodiscard]] char **get() { return pointers_.data(); }

private:
  std::vector<std::string> words_;
  std::vector<char *> pointers_;
};

std::vector<std::string> environmentWith(const std::map<std::string, std::string> &added) {
  std::vector<std::string> variables;
  for (char **entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (!added.contains(std::string(text.substr(0, text.find('=')))))
      variables.emplace_back(text);
  }
  for (const auto &[name, value] : added)
    variables.push_back(name + "=" + value);
  return variables;
}

/// All that the child needs between fork and exec, where it may only make plain system calls.
struct Start {
  const ProcessRequest &request;
  WordList arguments;
  WordList environment;
  int input = -1; ///< -1: nothing to read
  Watch watch = Watch::Group;
  const Watchdog &watchdog;
};

bool becomes(int descriptor, int standard) {
  return descriptor >= 0 && (descriptor == standard ? fcntl(descriptor, F_SETFD, 0) == 0
                                                    : dup2(descriptor, standard) == standard);
}

/// Does not return.
/// \param failure  takes the errno of what failed; closed by a successful exec
[[noreturn]] void becomeProgram(Start &start, int failure) {
  const ProcessRequest &request = start.request;
  if (start.watch == Watch::Group)
    setpgid(0, 0);
  start.watchdog.watchThisProcess(start.watch, request.limit);
  bool isReady =
      becomes(start.input >= 0 ? start.input : open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
  if (isReady && !request.outputFile.empty()) {
    const int output =
        open(request.outputFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    isReady = becomes(output, STDOUT_FILENO) && becomes(STDOUT_FILENO, STDERR_FILENO);
  }
  if (isReady && !request.folder.empty())
    isReady = chdir(request.folder.c_str()) == 0;
  if (isReady)
    execvpe(start.arguments.get()[0], start.arguments.get(), start.environment.get());
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = write(failure, &reason, sizeof reason);
  _exit(127);
}

struct Started {
  pid_t child = -1;
  int failure = 0; ///< errno of what went wrong; 0: nothing
};

/// fork and not posix_spawn, as the child makes itself known to the watchdog before it is the
/// program: a kill at any moment leaves nothing running.
Started startProcess(Start &start) {
  std::array<int, 2> failure{};
  if (pipe2(failure.data(), O_CLOEXEC) != 0)
    return {-1, errno};
  Started started;
  started.child = fork();
  if (started.child == 0)
    becomeProgram(start, failure[1]);
  if (started.child < 0)
    started.failure = errno;
  close(failure[1]);
  if (started.child > 0)
    while (read(failure[0], &started.failure, sizeof started.failure) < 0 && errno == EINTR) {
    }
  close(failure[0]);
  return started;
}

/// \returns  the status of waitpid
int waitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

} // namespace

std::string ProcessResult::describe() const {
  if (exceeded.count() != 0)
    return fmt::format("timed out after {} s", exceeded.count());
  if (signal != 0)
    return fmt::format("ended with signal {} ({})", signal, strsignal(signal));
  return fmt::format("ended with exit code {}", exitCode);
}

Result<ProcessResult> runProcess(const ProcessRequest &request) {
  Watchdog &watchdog = Watchdog::instance();
  std::optional<InputForRun> input;
  if (request.input == Input::Ours)
    input.emplace();
  Start start{request,
              WordList(request.command),
              WordList(environmentWith(request.environment)),
              input ? input->descriptor() : -1,
              input && inputIsTerminal() ? Watch::Process : Watch::Group,
              watchdog};
  const auto began = std::chrono::steady_clock::now();
  const Started started = startProcess(start);
  if (input)
    input->started();
  const int status = started.child > 0 ? waitFor(started.child) : 0;
  if (started.child > 0)
    watchdog.release(started.child);
  if (started.failure != 0)
    return fail(
        Code::ProcessNotStarted,
        fmt::format("cannot start '{}': {}", request.command.front(), strerror(started.failure)));
  ProcessResult result;
  if (WIFSIGNALED(status))
    result.signal = WTERMSIG(status);
  else
    result.exitCode = WEXITSTATUS(status);
  if (request.limit.count() != 0 && result.signal == SIGKILL &&
      std::chrono::steady_clock::now() - began >= request.limit)
    result.exceeded = request.limit;
  return result;
}

std::string errorLineOf(const std::string &output) {
  std::string last;
  std::size_t start = 0;
  while (start < output.size()) {
    const std::size_t end = std::min(output.find('\n', start), output.size());
    const std::string line = output.substr(start, end - start);
    if (line.find("error: ") != std::string::npos)
      return line;
    if (!line.empty())
      last = line;
    start = end + 1;
  }
  return last;
}

} // namespace relayout::tool
