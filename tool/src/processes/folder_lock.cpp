// SPDX-License-Identifier: Apache-2.0
// One process at a time in a folder of results: see the header.
#include "processes/folder_lock.h"

#include <fmt/format.h>

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace relayout::tool {
namespace {

/// Short steps, such as an entry in a compilation database, end within it.
constexpr std::chrono::seconds kWaitInSilence{1};

} // namespace

FolderLock::FolderLock(const std::string &folder) : folder_(folder) {
  std::error_code status;
  std::filesystem::create_directories(folder, status);
  file_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const auto start = std::chrono::steady_clock::now();
  while (file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() - start >= kWaitInSilence) {
      fmt::print(stderr, "waiting: another relayout works in '{}'\n", folder);
      flock(file_, LOCK_EX);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

FolderLock::~FolderLock() {
  if (file_ < 0)
    return;
  rmdir(folder_.c_str());
  close(file_);
}

} // namespace relayout::tool
