// SPDX-License-Identifier: Apache-2.0
// How far a program is that the tool runs on the CPU: see the header.
#include "processes/run_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace relayout::tool {

ProgressFile::ProgressFile(std::string path) : path_(std::move(path)), watched_(path_) {
  const int file = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0)
    return;
  if (ftruncate(file, sizeof(RunProgress)) == 0)
    if (void *page = mmap(nullptr, sizeof(RunProgress), PROT_READ, MAP_SHARED, file, 0);
        page != MAP_FAILED)
      progress_ = static_cast<const RunProgress *>(page);
  close(file);
}

ProgressFile::~ProgressFile() {
  if (progress_)
    munmap(const_cast<RunProgress *>(progress_), sizeof(RunProgress));
  unlink(path_.c_str());
}

std::string ProgressFile::describe() const {
  if (!progress_ || progress_->launches == 0)
    return {};
  const std::string_view name(progress_->kernel, RunProgress::kNameBytes);
  const std::uint64_t blocks = progress_->blocks;
  return fmt::format("launch {}: '{}', block {} of {}", progress_->launches.load(),
                     name.substr(0, name.find('\0')),
                     std::min<std::uint64_t>(progress_->begun, blocks), blocks);
}

} // namespace relayout::tool
