// SPDX-License-Identifier: Apache-2.0
// Fuzzing: whatever batch.json holds, its programs are returned or it is refused.
#include "batch/batch_file.h"

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

/// A folder with the source that the seeds name. It is in memory where the system has such a place.
class BatchFolder {
public:
  BatchFolder() {
    const fs::path shared = "/dev/shm";
    std::string pattern =
        ((fs::exists(shared) ? shared : fs::temp_directory_path()) / "relayout-fuzz-XXXXXX")
            .string();
    if (mkdtemp(pattern.data()) == nullptr)
      __builtin_trap();
    path_ = pattern;
    std::ofstream(path_ / "a.cu") << "int main() {}\n";
  }
  BatchFolder(const BatchFolder &) = delete;
  BatchFolder &operator=(const BatchFolder &) = delete;
  ~BatchFolder() { fs::remove_all(path_); }

  [[nodiscard]] std::string path() const { return path_.string(); }
  void write(const char *bytes, std::size_t size) const {
    std::ofstream(path_ / relayout::tool::kBatchFileName, std::ios::binary)
        .write(bytes, static_cast<std::streamsize>(size));
  }

private:
  fs::path path_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *bytes, std::size_t size) {
  static const BatchFolder kFolder;
  kFolder.write(reinterpret_cast<const char *>(bytes), size);
  const auto programs = relayout::tool::readBatchFile(kFolder.path());
  if (programs)
    for (const relayout::tool::BatchProgram &program : *programs)
      if (program.name.empty() || program.sources.empty())
        __builtin_trap();
  return 0;
}
