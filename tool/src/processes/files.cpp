// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole text files for the subcommands.
#include "processes/files.h"

#include "processes/watchdog.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace relayout::tool {

namespace fs = std::filesystem;

Result<std::string> readFile(const std::string &path) {
  std::error_code status;
  if (fs::is_directory(path, status))
    return fail(Code::FileUnreadable, fmt::format("cannot read '{}': it is a folder", path));
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return fail(Code::FileUnreadable,
                fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

Result<void> writeFile(const std::string &path, const std::string &text) {
  std::error_code status;
  if (const fs::path parent = fs::path(path).parent_path(); !parent.empty())
    fs::create_directories(parent, status);
  const std::string partial = path + ".partial";
  const WatchedPath watched(partial);
  std::ofstream out(partial, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out)
    fs::rename(partial, path, status);
  if (!out || status) {
    const std::string reason = status ? status.message() : std::strerror(errno);
    fs::remove(partial, status);
    return fail(Code::FileUnwritable, fmt::format("cannot write '{}': {}", path, reason));
  }
  return {};
}

} // namespace relayout::tool
