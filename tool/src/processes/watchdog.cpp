// SPDX-License-Identifier: Apache-2.0
// A second process that cleans up after this one. Each end of a socket pair belongs to one of the
// two; the end of the file tells the watchdog that the other is gone.
#include "processes/watchdog.h"

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <set>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace relayout::tool {
namespace {

using Clock = std::chrono::steady_clock;

/// Between SIGTERM, on which compilers remove what they have half written, and SIGKILL.
constexpr std::chrono::milliseconds kGrace{500};

enum class Order : char { WatchProcess, ReleaseProcess, WatchPath, ReleasePath };

/// One packet; of the path, only what is used is sent.
struct Message {
  Order order{};
  Watch watch{};
  pid_t process = 0;
  std::int64_t limitSeconds = 0;
  std::array<char, PATH_MAX> path{};
};
constexpr std::size_t kHeaderBytes = offsetof(Message, path);

struct Process {
  pid_t id = 0;
  Watch watch{};
  Clock::time_point deadline;

  [[nodiscard]] bool isThere() const { return kill(watch == Watch::Group ? -id : id, 0) == 0; }
  void end(int signal) const { kill(watch == Watch::Group ? -id : id, signal); }
};

/// The watchdog's side.
class Keeper {
public:
  /// Returns when the other side is gone.
  void serve(int connection) {
    while (true) {
      pollfd readable{connection, POLLIN, 0};
      poll(&readable, 1, msToDeadline());
      endOverdue();
      if (readable.revents == 0)
        continue;
      Message message;
      const ssize_t bytes = recv(connection, &message, sizeof message, 0);
      if (bytes < static_cast<ssize_t>(kHeaderBytes))
        return;
      message.path.back() = '\0';
      obey(message);
    }
  }

  void cleanUp() const {
    for (const Process &process : processes_)
      process.end(SIGTERM);
    constexpr std::chrono::milliseconds kStep{10};
    const auto last = Clock::now() + kGrace;
    while (Clock::now() < last && std::ranges::any_of(processes_, &Process::isThere))
      poll(nullptr, 0, kStep.count());
    for (const Process &process : processes_)
      process.end(SIGKILL);
    std::error_code ignored;
    for (const std::string &path : paths_)
      std::filesystem::remove_all(path, ignored);
  }

private:
  void obey(const Message &message) {
    const std::string path = message.path.data();
    switch (message.order) {
    case Order::WatchProcess:
      processes_.push_back({message.process, message.watch,
                            message.limitSeconds == 0
                                ? Clock::time_point::max()
                                : Clock::now() + std::chrono::seconds(message.limitSeconds)});
      break;
    case Order::ReleaseProcess:
      std::erase_if(processes_,
                    [&](const Process &process) { return process.id == message.process; });
      break;
    case Order::WatchPath:
      paths_.insert(path);
      break;
    case Order::ReleasePath:
      if (const auto found = paths_.find(path); found != paths_.end())
        paths_.erase(found);
      break;
    }
  }

  [[nodiscard]] int msToDeadline() const {
    auto first = Clock::time_point::max();
    for (const Process &process : processes_)
      first = std::min(first, process.deadline);
    if (first == Clock::time_point::max())
      return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
  }

  void endOverdue() {
    for (Process &process : processes_)
      if (process.deadline <= Clock::now()) {
        process.end(SIGKILL);
        process.deadline = Clock::time_point::max();
      }
  }

  std::vector<Process> processes_;
  std::multiset<std::string> paths_;
};

/// Holds nothing of the other's: a pipe that a reader waits on must end with relayout.
void closeAllBut(int connection) {
  close_range(0, static_cast<unsigned>(connection) - 1, 0);
  close_range(static_cast<unsigned>(connection) + 1, ~0u, 0);
  for (const int flags : {O_RDONLY, O_WRONLY, O_WRONLY})
    [[maybe_unused]] const int opened = open("/dev/null", flags);
}

} // namespace

Watchdog &Watchdog::instance() {
  static Watchdog watchdog;
  return watchdog;
}

Watchdog::Watchdog() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return;
  // Above the standard streams, which are replaced, even where one of these is closed.
  const int served = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
  const pid_t child = served < 0 ? -1 : fork();
  if (child == 0) {
    setsid(); // no signal of the terminal, nor of our group, is for it
    closeAllBut(served);
    Keeper keeper;
    keeper.serve(served);
    keeper.cleanUp();
    _exit(0);
  }
  close(ends[1]);
  close(served);
  if (child > 0)
    connection_ = ends[0];
  else
    close(ends[0]);
}

namespace {

void tell(int connection, const Message &message, std::size_t bytes) {
  if (connection >= 0)
    send(connection, &message, bytes, MSG_NOSIGNAL);
}

void tellPath(int connection, Order order, const std::string &path) {
  Message message;
  message.order = order;
  if (path.size() >= message.path.size())
    return;
  std::memcpy(message.path.data(), path.c_str(), path.size() + 1);
  tell(connection, message, kHeaderBytes + path.size() + 1);
}

} // namespace

void Watchdog::watchThisProcess(Watch watch, std::chrono::seconds limit) const {
  Message message;
  message.order = Order::WatchProcess;
  message.watch = watch;
  message.process = getpid();
  message.limitSeconds = limit.count();
  tell(connection_, message, kHeaderBytes);
}

void Watchdog::release(pid_t process) const {
  Message message;
  message.order = Order::ReleaseProcess;
  message.process = process;
  tell(connection_, message, kHeaderBytes);
}

void Watchdog::watch(const std::string &path) const {
  tellPath(connection_, Order::WatchPath, std::filesystem::absolute(path).string());
}

void Watchdog::release(const std::string &path) const {
  tellPath(connection_, Order::ReleasePath, std::filesystem::absolute(path).string());
}

} // namespace relayout::tool
