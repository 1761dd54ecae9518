// SPDX-License-Identifier: Apache-2.0
// Verification on a GPU: a shared library for LD_PRELOAD that notes the digest of every
// device-to-host copy of a program linked with the shared CUDA runtime (nvcc -cudart shared).
// One line a copy, "bytes digest", goes to the file named by RELAYOUT_COPIES. It needs no CUDA
// header and no source change; record padding is part of the digest here.
#define XXH_INLINE_ALL
#include "relayout/base/cuda_abi.h"

#include <xxhash.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

namespace {

using namespace relayout::cuda_abi;

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

bool isOnDevice(const void *pointer) {
  using Query = Status (*)(PointerAttributes *, const void *);
  static const Query query = next<Query>("cudaPointerGetAttributes");
  PointerAttributes attributes{};
  return query && query(&attributes, pointer) == 0 && attributes.type == kDevice;
}

bool copiesToHost(const void *destination, const void *source, int kind) {
  return kind == kDeviceToHost ||
         (kind == kDefault && isOnDevice(source) && !isOnDevice(destination));
}

void note(const void *destination, std::size_t pitch, std::size_t width, std::size_t height) {
  static std::mutex mutex;
  static std::FILE *const file = [] {
    const char *path = std::getenv("RELAYOUT_COPIES");
    return path ? std::fopen(path, "w") : nullptr;
  }();
  if (!file || width == 0 || height == 0)
    return;
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (std::size_t row = 0; row < height; ++row)
    XXH3_128bits_update(&state, static_cast<const char *>(destination) + row * pitch, width);
  const XXH128_hash_t digest = XXH3_128bits_digest(&state);
  const std::lock_guard lock(mutex);
  std::fprintf(file, "%zu %016llx%016llx\n", width * height,
               static_cast<unsigned long long>(digest.high64),
               static_cast<unsigned long long>(digest.low64));
  std::fflush(file);
}

/// What a copy moved, once it has.
struct Rows {
  std::size_t toPitch;
  std::size_t fromPitch;
  std::size_t width;
  std::size_t height;
  int kind;

  void noteIfToHost(void *to, const void *from) const {
    if (copiesToHost(to, from, kind))
      note(to, toPitch, width, height);
  }
};

bool ends(cudaStream_t stream) {
  using Synchronize = Status (*)(cudaStream_t);
  static const Synchronize synchronize = next<Synchronize>("cudaStreamSynchronize");
  return synchronize(stream) == 0;
}

} // namespace

extern "C" {

#define RELAYOUT_LIST(...) __VA_ARGS__
#define RELAYOUT_DEFAULT(value)
#define RELAYOUT_ENDED_Immediate true
#define RELAYOUT_ENDED_OnStream ends(stream)
#define RELAYOUT_COPY(name, order, parameters, arguments, rows)                                    \
  Status name parameters {                                                                         \
    using Copy = Status(*) parameters;                                                             \
    static const Copy original = next<Copy>(#name);                                                \
    const Status status = original arguments;                                                      \
    if (status == 0 && RELAYOUT_ENDED_##order)                                                     \
      Rows{RELAYOUT_LIST rows}.noteIfToHost(to, from);                                             \
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
  const Status status = copy(destination, symbol, bytes, offset, kind);
  if (status == 0 && !isOnDevice(destination))
    note(destination, bytes, bytes, 1);
  return status;
}
}
