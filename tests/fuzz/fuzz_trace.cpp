// SPDX-License-Identifier: Apache-2.0
// Fuzzing: whatever a trace file holds, the reader returns or refuses it.
#include "access_codec.h"
#include "framed_trace.h"

#include "relayout/trace/reader.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace relayout;

namespace {

/// A file in memory that can be opened by name, as the reader wants it.
class MemoryFile {
public:
  MemoryFile() : file_(memfd_create("trace", 0)), path_("/proc/self/fd/" + std::to_string(file_)) {
    if (file_ < 0)
      __builtin_trap();
  }
  [[nodiscard]] const std::string &path() const { return path_; }
  void write(std::string_view bytes) const {
    if (ftruncate(file_, 0) != 0 ||
        pwrite(file_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      __builtin_trap();
  }

private:
  int file_;
  std::string path_;
};

bool isSame(const trace::WarpAccess &a, const trace::WarpAccess &b) {
  return a.launch == b.launch && a.block == b.block && a.warp == b.warp && a.site == b.site &&
         a.order == b.order && a.activeMask == b.activeMask && a.bytes == b.bytes &&
         a.addresses == b.addresses;
}

/// Accesses that decode are written and read back as they are.
void decodeAccesses(std::string_view payload) {
  trace::ByteSource source(payload);
  trace::AccessExpectation expected;
  trace::AccessExpectation expectedByWriter;
  trace::ByteSink written;
  std::vector<trace::WarpAccess> accesses;
  for (trace::WarpAccess access; !source.atEnd() && decode(source, expected, access);) {
    encode(access, expectedByWriter, written);
    accesses.push_back(access);
  }
  trace::ByteSource again(written.bytes());
  expected.reset();
  for (const trace::WarpAccess &access : accesses) {
    trace::WarpAccess copy;
    if (!decode(again, expected, copy) || !isSame(copy, access))
      __builtin_trap();
  }
}

void readFile(const std::string &path, bool walkDamaged) {
  const Result<trace::Trace> trace = trace::readTrace(path);
  if (!trace && !walkDamaged)
    return;
  std::uint64_t accesses = 0;
  const Result<void> walked = trace::forEachAccess(path, [&](const trace::WarpAccess &) {
    ++accesses;
    return true;
  });
  // What the walk accepts, the reader accepts as well, with as many accesses.
  if (walked && (!trace || !trace->complete || trace->accessRecords != accesses))
    __builtin_trap();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *bytes, std::size_t size) {
  static const MemoryFile kFile;
  if (size == 0)
    return 0;
  const std::string_view input(reinterpret_cast<const char *>(bytes) + 1, size - 1);
  const auto form = static_cast<fuzz::Form>(bytes[0]);
  if (form == fuzz::Form::Accesses) {
    decodeAccesses(input);
    return 0;
  }
  if (form == fuzz::Form::File)
    kFile.write(input);
  else
    fuzz::writeFrames(input, kFile.path());
  // A walk starts a thread, which takes a hundred times as long as the rest: of damaged files only
  // some are walked.
  readFile(kFile.path(), size % 64 == 0);
  return 0;
}
