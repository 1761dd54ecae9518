// SPDX-License-Identifier: Apache-2.0
// Runs compilers and user programs as child processes.
#include "process.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace relayout::tool {

std::string ProcessResult::describe() const {
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
  pid_t child = 0;
  const int status =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0)
    return fail("RL-X02",
                fmt::format("cannot start '{}': {}", request.command.front(), strerror(status)));
  int wait = 0;
  while (waitpid(child, &wait, 0) < 0 && errno == EINTR) {
  }
  ProcessResult result;
  if (WIFSIGNALED(wait))
    result.signal = WTERMSIG(wait);
  else
    result.exitCode = WEXITSTATUS(wait);
  return result;
}

} // namespace relayout::tool
