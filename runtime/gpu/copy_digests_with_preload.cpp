// SPDX-License-Identifier: Apache-2.0
// Verification on a GPU: a shared library for LD_PRELOAD that notes the digest of every
// device-to-host copy of a program linked with the shared CUDA runtime (nvcc -cudart shared).
// One line a copy, "bytes digest", goes to the file named by RELAYOUT_COPIES. It needs no CUDA
// header and no source change; record padding is part of the digest here.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

namespace {

// The parts of the CUDA runtime's C interface that are used, with its ABI's types.
using Status = int;
using Stream = void *;
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

void note(const void *destination, std::size_t bytes) {
  static std::mutex mutex;
  static std::FILE *const file = [] {
    const char *path = std::getenv("RELAYOUT_COPIES");
    return path ? std::fopen(path, "w") : nullptr;
  }();
  if (!file)
    return;
  const XXH128_hash_t digest = XXH3_128bits(destination, bytes);
  const std::lock_guard lock(mutex);
  std::fprintf(file, "%zu %016llx%016llx\n", bytes, static_cast<unsigned long long>(digest.high64),
               static_cast<unsigned long long>(digest.low64));
  std::fflush(file);
}

} // namespace

extern "C" {

Status cudaMemcpy(void *destination, const void *source, std::size_t bytes, int kind) {
  using Copy = Status (*)(void *, const void *, std::size_t, int);
  static const Copy copy = next<Copy>("cudaMemcpy");
  const Status status = copy(destination, source, bytes, kind);
  if (status == 0 && copiesToHost(destination, source, kind))
    note(destination, bytes);
  return status;
}

Status cudaMemcpyAsync(void *destination, const void *source, std::size_t bytes, int kind,
                       Stream stream) {
  using Copy = Status (*)(void *, const void *, std::size_t, int, Stream);
  using Synchronize = Status (*)(Stream);
  static const Copy copy = next<Copy>("cudaMemcpyAsync");
  static const Synchronize synchronize = next<Synchronize>("cudaStreamSynchronize");
  const Status status = copy(destination, source, bytes, kind, stream);
  if (status == 0 && copiesToHost(destination, source, kind) && synchronize(stream) == 0)
    note(destination, bytes);
  return status;
}

Status cudaMemcpyFromSymbol(void *destination, const void *symbol, std::size_t bytes,
                            std::size_t offset, int kind) {
  using Copy = Status (*)(void *, const void *, std::size_t, std::size_t, int);
  static const Copy copy = next<Copy>("cudaMemcpyFromSymbol");
  const Status status = copy(destination, symbol, bytes, offset, kind);
  if (status == 0 && !isOnDevice(destination))
    note(destination, bytes);
  return status;
}
}
