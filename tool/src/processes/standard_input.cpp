// SPDX-License-Identifier: Apache-2.0
// Our standard input, for a program that is run several times and reads the same each time.
#include "processes/standard_input.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <unistd.h>

namespace relayout::tool {
namespace {

/// What came through the pipe so far.
struct Kept {
  std::string text;
  bool hasEnded = false;
};
Kept &kept() {
  static Kept kept;
  return kept;
}

/// Where the input began for us, or -1: it cannot be rewound.
off_t beginning() {
  static const off_t kBeginning = lseek(STDIN_FILENO, 0, SEEK_CUR);
  return kBeginning;
}

/// \returns  whether all of it was written; not where the reader is gone or `stopped` ended
bool writeAll(int to, std::string_view text, int stopped) {
  while (!text.empty()) {
    std::array<pollfd, 2> ends = {pollfd{to, POLLOUT, 0}, pollfd{stopped, POLLIN, 0}};
    if (poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR)
      return false;
    if (ends[1].revents != 0)
      return false;
    const ssize_t written = write(to, text.data(), text.size());
    if (written < 0 && errno != EAGAIN && errno != EINTR)
      return false;
    if (written > 0)
      text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

} // namespace

bool inputIsTerminal() { return isatty(STDIN_FILENO) == 1; }

InputForRun::InputForRun() {
  if (inputIsTerminal())
    return;
  if (beginning() >= 0) {
    lseek(STDIN_FILENO, beginning(), SEEK_SET);
    return;
  }
  std::array<int, 2> data{}, stop{};
  if (pipe2(data.data(), O_CLOEXEC) != 0)
    return;
  if (pipe2(stop.data(), O_CLOEXEC) != 0) {
    close(data[0]);
    close(data[1]);
    return;
  }
  fcntl(data[1], F_SETFL, O_NONBLOCK);
  descriptor_ = data[0];
  stop_ = stop[1];
  stopped_ = stop[0];
  passing_ = std::thread([this, to = data[1]] {
    sigset_t brokenPipe; // a program that ends without reading all is no error
    sigemptyset(&brokenPipe);
    sigaddset(&brokenPipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &brokenPipe, nullptr);
    pass(to);
    close(to);
  });
}

void InputForRun::started() {
  if (passing_.joinable())
    close(descriptor_);
}

InputForRun::~InputForRun() {
  if (!passing_.joinable())
    return;
  close(stop_);
  passing_.join();
  close(stopped_);
}

/// First what earlier runs were given, then what comes.
void InputForRun::pass(int to) const {
  if (!writeAll(to, kept().text, stopped_))
    return;
  std::array<char, 1 << 16> buffer;
  while (!kept().hasEnded) {
    std::array<pollfd, 2> ends = {pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{stopped_, POLLIN, 0}};
    if (poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR)
      return;
    if (ends[1].revents != 0)
      return;
    if (ends[0].revents == 0)
      continue;
    const ssize_t bytes = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (bytes < 0)
      return;
    kept().hasEnded = bytes == 0;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(bytes));
    kept().text += text;
    if (!writeAll(to, text, stopped_))
      return;
  }
}

} // namespace relayout::tool
