// SPDX-License-Identifier: Apache-2.0
// Test helper: runs the relayout program in a folder of its own and keeps what it says.
#include "relayout_command.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>

namespace relayout::test {

namespace fs = std::filesystem;

Workplace::Workplace() {
  std::string pattern = (fs::temp_directory_path() / "relayout-test-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}

Workplace::~Workplace() {
  std::error_code status;
  fs::remove_all(folder_, status);
}

Outcome Workplace::relayout(const std::string &arguments) const {
  return shell("'" RELAYOUT_BINARY "' " + arguments);
}

Outcome Workplace::shell(const std::string &command) const {
  const std::string path = fs::path(RELAYOUT_BINARY).parent_path().string();
  const std::string line = "cd '" + folder_.string() + "' && export PATH='" + path +
                           "':\"$PATH\":" RELAYOUT_CUDA_ROOT "/bin && { " + command +
                           "\n} >stdout.log 2>stderr.log";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read("stdout.log"),
          read("stderr.log")};
}

void Workplace::write(const std::string &file, const std::string &text) const {
  fs::create_directories((folder_ / file).parent_path());
  std::ofstream(folder_ / file, std::ios::binary) << text;
}

void Workplace::writeScript(const std::string &file, const std::string &text) const {
  write(file, text);
  fs::permissions(folder_ / file, fs::perms::owner_all);
}

std::string Workplace::read(const std::string &file) const {
  std::ifstream in(folder_ / file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

bool Workplace::has(const std::string &file) const { return fs::exists(folder_ / file); }

std::string sample(const std::string &name) { return samples() + "/" + name + "/" + name + ".cu"; }

std::string samples() { return RELAYOUT_SOURCE_DIR "/samples"; }

} // namespace relayout::test
