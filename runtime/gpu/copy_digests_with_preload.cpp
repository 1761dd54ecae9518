// SPDX-License-Identifier: Apache-2.0
// Verification on a GPU: a shared library for LD_PRELOAD that notes the digest of every
// device-to-host copy of a program linked with the shared CUDA runtime (nvcc -cudart shared).
// It needs no CUDA header. One line a copy goes to the file named by RELAYOUT_COPIES:
//   bytes digest [padding bytes left out [bytes of a record [offset:length of its padding]...]]
// What is padding the program says itself (relayoutNoteRecord), or the file of such a run does,
// named by RELAYOUT_COPY_PADDING: copy n there is copy n here. Without either, every byte counts.
#define XXH_INLINE_ALL
#include "relayout/base/cuda_abi.h"
#include "relayout/base/record_padding.h"

#include <xxhash.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <utility>
#include <vector>

namespace {

using namespace relayout::cuda_abi;
using relayout::RecordPadding;

// The parts of the CUDA runtime's C interface that are used.
enum CopyKind : int { kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice, kDefault };
enum MemoryType : int { kUnregistered, kHost, kDevice, kManaged };

struct PointerAttributes {
  int type;
  int device;
  void *devicePointer;
  void *hostPointer;
  long reserved[8];
};

template <class Function> Function next(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int memoryOf(const void *pointer) {
  using Query = Status (*)(PointerAttributes *, const void *);
  static const Query query = next<Query>("cudaPointerGetAttributes");
  PointerAttributes attributes{};
  return query && query(&attributes, pointer) == 0 ? attributes.type : kUnregistered;
}

bool isOnDevice(const void *pointer) { return memoryOf(pointer) == kDevice; }

/// Managed memory is the device's here, as on the CPU: a copy between two arrays in it shows the
/// host nothing that it could not see before.
bool isManaged(const void *pointer) { return memoryOf(pointer) == kManaged; }

bool copiesToHost(const void *destination, const void *source, int kind) {
  return kind == kDeviceToHost || (kind == kDefault && (isOnDevice(source) || isManaged(source)) &&
                                   !isOnDevice(destination) && !isManaged(destination));
}

/// "28:4 60:4".
RecordPadding paddingFrom(unsigned recordBytes, const char *spans) {
  RecordPadding padding{recordBytes, {}};
  unsigned offset = 0;
  unsigned length = 0;
  for (int used = 0; std::sscanf(spans, " %u:%u%n", &offset, &length, &used) == 2; spans += used)
    padding.spans.emplace_back(offset, length);
  return padding;
}

/// What the program says of this thread's next copy.
thread_local RecordPadding noted;

RecordPadding takeNoted() { return std::exchange(noted, {}); }

struct KnownCopy {
  std::size_t bytes = 0;
  RecordPadding padding;
};

/// The copies of a run that said what is padding.
std::vector<KnownCopy> readKnownCopies() {
  std::vector<KnownCopy> copies;
  const char *const path = std::getenv("RELAYOUT_COPY_PADDING");
  std::FILE *const file = path ? std::fopen(path, "r") : nullptr;
  if (!file)
    return copies;
  char *line = nullptr;
  std::size_t capacity = 0;
  while (getline(&line, &capacity, file) > 0) {
    KnownCopy &copy = copies.emplace_back();
    unsigned recordBytes = 0;
    int used = 0;
    if (std::sscanf(line, "%zu %*s %*s %u%n", &copy.bytes, &recordBytes, &used) == 2)
      copy.padding = paddingFrom(recordBytes, line + used);
  }
  std::free(line);
  std::fclose(file);
  return copies;
}

/// Notes copies in the order in which they end.
class CopyLog {
public:
  /// Lives until the process is gone: the program may copy while it exits.
  static CopyLog &instance() {
    static CopyLog *const log = new CopyLog;
    return *log;
  }

  void add(const void *destination, std::size_t pitch, std::size_t width, std::size_t height,
           RecordPadding padding) {
    if (!file_ || width == 0 || height == 0)
      return;
    const std::lock_guard lock(mutex_);
    const std::size_t number = count_++;
    if (number < known_.size() && known_[number].bytes == width * height)
      padding = known_[number].padding;
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    std::uint64_t paddingBytes = 0;
    for (std::size_t row = 0; row < height; ++row)
      paddingBytes +=
          relayout::takeValues(static_cast<const char *>(destination) + row * pitch, width, padding,
                               [&state](const std::byte *from, std::size_t bytes) {
                                 XXH3_128bits_update(&state, from, bytes);
                               });
    const XXH128_hash_t digest = XXH3_128bits_digest(&state);
    std::fprintf(file_, "%zu %016llx%016llx", width * height,
                 static_cast<unsigned long long>(digest.high64),
                 static_cast<unsigned long long>(digest.low64));
    write(paddingBytes, padding);
    std::fflush(file_);
  }

private:
  CopyLog() {
    if (const char *path = std::getenv("RELAYOUT_COPIES"))
      file_ = std::fopen(path, "w");
  }

  void write(std::uint64_t paddingBytes, const RecordPadding &padding) const {
    if (paddingBytes != 0) {
      std::fprintf(file_, " %llu %u", static_cast<unsigned long long>(paddingBytes),
                   padding.recordBytes);
      for (const auto &[offset, length] : padding.spans)
        std::fprintf(file_, " %u:%u", offset, length);
    }
    std::fputc('\n', file_);
  }

  std::mutex mutex_;
  std::FILE *file_ = nullptr;
  std::size_t count_ = 0;
  std::vector<KnownCopy> known_ = readKnownCopies();
};

/// What a copy moved, once it has.
struct Rows {
  std::size_t toPitch;
  std::size_t fromPitch;
  std::size_t width;
  std::size_t height;
  int kind;

  void noteIfToHost(void *to, const void *from, RecordPadding padding) const {
    if (copiesToHost(to, from, kind))
      CopyLog::instance().add(to, toPitch, width, height, std::move(padding));
  }
};

bool ends(cudaStream_t stream) {
  using Synchronize = Status (*)(cudaStream_t);
  static const Synchronize synchronize = next<Synchronize>("cudaStreamSynchronize");
  return synchronize(stream) == 0;
}

} // namespace

extern "C" {

/// The next copy of this thread, if it can be hooked, is of records.
/// \param padding  "offset:length" of each span, ascending, apart by spaces
void relayoutNoteRecord(unsigned recordBytes, const char *padding) {
  noted = paddingFrom(recordBytes, padding);
}

#define RELAYOUT_LIST(...) __VA_ARGS__
#define RELAYOUT_DEFAULT(value)
#define RELAYOUT_ENDED_Immediate true
#define RELAYOUT_ENDED_OnStream ends(stream)
#define RELAYOUT_COPY(name, order, parameters, arguments, rows)                                    \
  Status name parameters {                                                                         \
    using Copy = Status(*) parameters;                                                             \
    static const Copy original = next<Copy>(#name);                                                \
    RecordPadding padding = takeNoted();                                                           \
    const Status status = original arguments;                                                      \
    if (status == 0 && RELAYOUT_ENDED_##order)                                                     \
      Rows{RELAYOUT_LIST rows}.noteIfToHost(to, from, std::move(padding));                         \
    return status;                                                                                 \
  }
#define CUDA_COPY(name, order, form, parameters, arguments, rows, ...)                             \
  RELAYOUT_COPY(name, order, parameters, arguments, rows)                                          \
  __VA_OPT__(RELAYOUT_COPY(__VA_ARGS__, order, parameters, arguments, rows))
#include "relayout/base/cuda_calls.def"

Status cudaMemcpyFromSymbol(void *destination, const void *symbol, std::size_t bytes,
                            std::size_t offset, int kind) {
  using Copy = Status (*)(void *, const void *, std::size_t, std::size_t, int);
  static const Copy copy = next<Copy>("cudaMemcpyFromSymbol");
  RecordPadding padding = takeNoted();
  const Status status = copy(destination, symbol, bytes, offset, kind);
  if (status == 0 && !isOnDevice(destination))
    CopyLog::instance().add(destination, bytes, bytes, 1, std::move(padding));
  return status;
}

Status cudaMemcpyFromSymbolAsync(void *destination, const void *symbol, std::size_t bytes,
                                 std::size_t offset, int kind, cudaStream_t stream) {
  using Copy = Status (*)(void *, const void *, std::size_t, std::size_t, int, cudaStream_t);
  static const Copy copy = next<Copy>("cudaMemcpyFromSymbolAsync");
  RecordPadding padding = takeNoted();
  const Status status = copy(destination, symbol, bytes, offset, kind, stream);
  if (status == 0 && ends(stream) && !isOnDevice(destination))
    CopyLog::instance().add(destination, bytes, bytes, 1, std::move(padding));
  return status;
}
}
