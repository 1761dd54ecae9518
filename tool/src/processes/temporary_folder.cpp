// SPDX-License-Identifier: Apache-2.0
// A folder for files that nobody needs afterwards.
#include "processes/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace relayout::tool {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code status;
  std::string pattern = (fs::temp_directory_path(status) / "relayout-XXXXXX").string();
  if (status || mkdtemp(pattern.data()) == nullptr)
    return fail(Code::FileUnwritable,
                "cannot make a temporary folder: " +
                    (status ? status.message() : std::string(std::strerror(errno))));
  return TemporaryFolder(pattern);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder &&other) noexcept
    : path_(std::exchange(other.path_, {})), watched_(std::move(other.watched_)) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty())
    fs::remove_all(path_, ignored);
}

} // namespace relayout::tool
