// SPDX-License-Identifier: Apache-2.0
// Executor: the CUDA runtime's memory calls. Device memory is the arena; streams run at once.
#include "arena.h"
#include "arrays.h"
#include "copy_digest.h"
#include "devices.h"
#include "executor.h"
#include "handles.h"
#include "shared_arrays.h"
#include "stream_capture.h"
#include "trace_session.h"

#include "relayout/host/launch.h"
#include "relayout/trace/extent_notes.h"

#include "cuda_runtime_api.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <map>
#include <mutex>
#include <ranges>
#include <utility>
#include <vector>

namespace relayout::host {
namespace {

constexpr std::size_t kPitchAlignment = 512;

std::uintptr_t addressOf(const void *pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// Device variables whose address the program asked for, and page-locked host memory.
class Ranges {
public:
  void add(const void *begin, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    ranges_[addressOf(begin)] = bytes;
  }
  bool remove(const void *begin) {
    const std::scoped_lock lock(mutex_);
    return ranges_.erase(addressOf(begin)) != 0;
  }
  bool contains(const void *pointer) {
    const std::scoped_lock lock(mutex_);
    const auto after = ranges_.upper_bound(addressOf(pointer));
    return after != ranges_.begin() &&
           addressOf(pointer) - std::prev(after)->first < std::prev(after)->second;
  }

private:
  std::mutex mutex_;
  std::map<std::uintptr_t, std::size_t> ranges_;
};
Ranges &symbols() {
  static auto *const kSymbols = new Ranges;
  return *kSymbols;
}
Ranges &pinned() {
  static auto *const kPinned = new Ranges;
  return *kPinned;
}

bool isDevice(const void *pointer) {
  return (Arena::instance().contains(pointer) && !pinned().contains(pointer)) ||
         symbols().contains(pointer);
}

/// Variables of the program and its libraries, device variables and managed ones among them.
bool isStatic(const void *pointer) {
  struct Search {
    std::uintptr_t address;
    bool found = false;
  } search{addressOf(pointer)};
  dl_iterate_phdr(
      [](dl_phdr_info *object, std::size_t, void *untyped) {
        auto *const wanted = static_cast<Search *>(untyped);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto &segment = object->dlpi_phdr[i];
          wanted->found |=
              segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0 &&
              wanted->address - (object->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
        }
        return wanted->found ? 1 : 0;
      },
      &search);
  return search.found;
}

bool isInArray(const void *pointer) {
  return Handles<cudaArray>::instance().any(
      [&](const cudaArray &array) { return array.contains(pointer); });
}

/// One side of a copy: what the call says of it.
enum class Side { Host, Device, Either };

/// As measured on an H200 (CUDA 13): what is said to be device memory must be memory that CUDA
/// knows, so that the address of a pointer on the stack is none; what is said to be the host's may
/// be either. A range in the arena must lie in one allocation.
bool valid(const void *pointer, std::size_t bytes, Side side) {
  if (pointer == nullptr)
    return false;
  if (!Arena::instance().contains(pointer))
    return side != Side::Device || symbols().contains(pointer) || pinned().contains(pointer) ||
           isStatic(pointer) || isInArray(pointer);
  const auto allocation = Arena::instance().find(addressOf(pointer));
  return allocation && addressOf(pointer) + bytes <= allocation->address + allocation->bytes;
}

/// What a copy moves; a plain one is a single row.
struct Rows {
  std::size_t toPitch;
  std::size_t fromPitch;
  std::size_t width;
  std::size_t height;
  cudaMemcpyKind kind;
};

/// Of copies between an array and the host, not of those between arrays.
void noteTransfer(TraceSession &session, const void *to, const void *from,
                  trace::HostTransfer transfer) {
  if (Arena::instance().contains(to) == Arena::instance().contains(from))
    return;
  if (const auto array = Arena::instance().find(addressOf(transfer.isToHost ? from : to))) {
    transfer.address = array->address;
    session.transfer(transfer);
  }
}

/// From this size on a copy leaves memory alone that holds zeros on both sides. Programs copy large
/// arrays of which they use the beginning, and what nobody wrote takes no memory.
constexpr std::size_t kSparseCopyBytes = std::size_t{64} << 20;
constexpr std::size_t kCopyPieceBytes = std::size_t{64} << 10;

bool isZero(const std::byte *memory, std::size_t bytes) {
  return memory[0] == std::byte{0} && std::memcmp(memory, memory + 1, bytes - 1) == 0;
}

void copyBytes(std::byte *to, const std::byte *from, std::size_t bytes) {
  if (bytes < kSparseCopyBytes || (to < from + bytes && from < to + bytes)) {
    std::memmove(to, from, bytes);
    return;
  }
  for (std::size_t at = 0; at < bytes; at += kCopyPieceBytes) {
    const std::size_t piece = std::min(kCopyPieceBytes, bytes - at);
    if (!isZero(from + at, piece) || !isZero(to + at, piece))
      std::memcpy(to + at, from + at, piece);
  }
}

cudaError_t copy(void *to, const void *from, const Rows &rows) {
  const CopyNote note = takeCopyNote();
  if (rows.width == 0 || rows.height == 0)
    return cudaSuccess;
  if (rows.kind < cudaMemcpyHostToHost || rows.kind > cudaMemcpyDefault)
    return fail(cudaErrorInvalidMemcpyDirection);
  if (rows.height > 1 && (rows.width > rows.toPitch || rows.width > rows.fromPitch))
    return fail(cudaErrorInvalidPitchValue);
  static constexpr Side kTo[] = {Side::Host, Side::Device, Side::Host, Side::Device, Side::Either};
  static constexpr Side kFrom[] = {Side::Host, Side::Host, Side::Device, Side::Device,
                                   Side::Either};
  if (!valid(to, rows.toPitch * (rows.height - 1) + rows.width, kTo[rows.kind]) ||
      !valid(from, rows.fromPitch * (rows.height - 1) + rows.width, kFrom[rows.kind]))
    return fail(cudaErrorInvalidValue);
  for (std::size_t row = 0; row < rows.height; ++row)
    copyBytes(static_cast<std::byte *>(to) + row * rows.toPitch,
              static_cast<const std::byte *>(from) + row * rows.fromPitch, rows.width);

  if (TraceSession *const session = TraceSession::instance()) {
    const bool leavesDevice = rows.kind == cudaMemcpyDeviceToHost ||
                              (rows.kind == cudaMemcpyDefault && isDevice(from) && !isDevice(to));
    if (leavesDevice)
      session->copy(digestOf({to, rows.width, rows.toPitch, rows.height}, note));
    noteTransfer(*session, to, from, {0, leavesDevice, 1, rows.width * rows.height, note.place});
  }
  return cudaSuccess;
}

/// What was allocated where the host reaches it: zeros, so that what a program leaves unwritten is
/// the same in every layout.
void addShared(void *allocation, std::size_t bytes) {
  std::memset(allocation, 0, bytes);
  CopyNote note = takeSharedNote();
  if (note.padding.recordBytes != 0)
    SharedArrays::instance().add(addressOf(allocation), {std::move(note), bytes, allocation});
}

/// What this thread's functions know of extents.
trace::ExtentNotes &extentNotes() {
  thread_local trace::ExtentNotes notes;
  return notes;
}

std::vector<trace::Extent> extentsOf(NotedExtents noted) {
  std::vector<trace::Extent> extents;
  for (const auto &[text, value, digit] : noted)
    extents.push_back({text, value, digit});
  return extents;
}

/// What was noted of this thread's next allocation.
trace::Allocation &notedAllocation() {
  static thread_local trace::Allocation noted;
  return noted;
}

/// Memory that kernels are given lies where their accesses are traced.
/// \param hostUses  the host reaches it, too
/// \returns  0 where there is not as much
std::uintptr_t fromArena(std::size_t bytes, bool hostUses, trace::Allocation allocation) {
  const std::uintptr_t address = Arena::instance().allocate(bytes, hostUses, allocation.group);
  allocation.address = address;
  allocation.bytes = bytes;
  if (TraceSession *const session = TraceSession::instance(); session && address != 0)
    session->allocation(allocation);
  return address;
}

cudaError_t allocate(void **pointer, std::size_t bytes, bool managed) {
  if (pointer == nullptr)
    return fail(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0)
    return cudaSuccess; // managed memory, too, on an H200 with CUDA 13
  trace::Allocation allocation = std::exchange(notedAllocation(), {});
  allocation.isManaged = managed;
  const std::uintptr_t address = fromArena(bytes, managed, std::move(allocation));
  if (address == 0)
    return fail(cudaErrorMemoryAllocation);
  *pointer = reinterpret_cast<void *>(address);
  if (managed)
    addShared(*pointer, bytes);
  return cudaSuccess;
}

cudaError_t allocatePinned(void **pointer, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  if (pointer == nullptr)
    return fail(cudaErrorInvalidValue);
  *pointer = nullptr;
  trace::Allocation allocation = std::exchange(notedAllocation(), {});
  if (bytes == 0)
    return cudaSuccess;
  const bool isOfKernels = allocation.group != trace::kNone;
  *pointer = isOfKernels ? reinterpret_cast<void *>(fromArena(bytes, true, std::move(allocation)))
                         : std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  if (*pointer == nullptr)
    return fail(cudaErrorMemoryAllocation);
  pinned().add(*pointer, bytes);
  addShared(*pointer, bytes);
  return cudaSuccess;
}

cudaError_t release(void *pointer) {
  if (pinned().contains(pointer))
    return fail(cudaErrorInvalidValue);
  SharedArrays::instance().remove(addressOf(pointer));
  if (pointer == nullptr || Arena::instance().free(addressOf(pointer)))
    return cudaSuccess;
  return fail(cudaErrorInvalidValue);
}

cudaError_t releasePinned(void *pointer) {
  if (pointer == nullptr)
    return cudaSuccess;
  SharedArrays::instance().remove(addressOf(pointer));
  if (!pinned().remove(pointer))
    return fail(cudaErrorInvalidValue);
  if (!Arena::instance().free(addressOf(pointer)))
    std::free(pointer);
  return cudaSuccess;
}

cudaError_t set(void *to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  if (width == 0 || height == 0)
    return cudaSuccess;
  if (height > 1 && width > pitch)
    return fail(cudaErrorInvalidPitchValue);
  if (!valid(to, pitch * (height - 1) + width, Side::Device))
    return fail(cudaErrorInvalidValue);
  for (std::size_t row = 0; row < height; ++row)
    std::memset(static_cast<std::byte *>(to) + row * pitch, value, width);
  return cudaSuccess;
}

bool inSymbol(std::size_t symbolBytes, std::size_t offset, std::size_t bytes) {
  return offset <= symbolBytes && bytes <= symbolBytes - offset;
}

} // namespace

namespace detail {

cudaError_t copyToSymbol(void *symbol, size_t symbolBytes, const void *from, size_t bytes,
                         size_t offset, cudaMemcpyKind kind) {
  if (!inSymbol(symbolBytes, offset, bytes))
    return host::fail(cudaErrorInvalidValue);
  symbols().add(symbol, symbolBytes);
  return copy(static_cast<std::byte *>(symbol) + offset, from, {bytes, bytes, bytes, 1, kind});
}

cudaError_t copyFromSymbol(void *to, const void *symbol, size_t symbolBytes, size_t bytes,
                           size_t offset, cudaMemcpyKind kind) {
  if (!inSymbol(symbolBytes, offset, bytes))
    return host::fail(cudaErrorInvalidValue);
  symbols().add(symbol, symbolBytes);
  return copy(to, static_cast<const std::byte *>(symbol) + offset, {bytes, bytes, bytes, 1, kind});
}

cudaError_t symbolAddress(void **pointer, const void *symbol, size_t symbolBytes) {
  symbols().add(symbol, symbolBytes);
  *pointer = const_cast<void *>(symbol);
  return cudaSuccess;
}

} // namespace detail

void noteCopiedBack(const void *from, std::size_t bytes) {
  const CopyNote note = takeCopyNote();
  TraceSession *const session = TraceSession::instance();
  if (session == nullptr || bytes == 0 || !isDevice(from))
    return;
  session->copy(digestOf({from, bytes, bytes, 1}, note));
  noteTransfer(*session, nullptr, from, {0, true, 1, bytes, note.place});
}

void noteAllocation(unsigned group, NotedExtents factors, NotedExtents others) {
  notedAllocation() = {.extents = extentNotes().of(extentsOf(factors), extentsOf(others)),
                       .group = group};
}

void noteVariable(unsigned group) { notedAllocation() = {.group = group, .isVariable = true}; }

CallersExtents::CallersExtents(NotedExtents factors) {
  extentNotes().callBegins(extentsOf(factors));
}

CallersExtents::~CallersExtents() { extentNotes().callEnds(); }

} // namespace relayout::host

using namespace relayout::host;

extern "C" {

#define RELAYOUT_LIST(...) __VA_ARGS__
#define RELAYOUT_DEFAULT(value)
// What a stream is asked for may be captured; the rest is done at once.
#define RELAYOUT_WHEN_Immediate(...) (__VA_ARGS__)()
#define RELAYOUT_WHEN_OnStream(...) onStream(stream, __VA_ARGS__)
#define CUDA_ALLOCATION(name, order, form, memory, parameters, arguments, bytes, ...)              \
  cudaError_t name(void **pointer, RELAYOUT_LIST parameters) { RELAYOUT_ALLOCATE_##memory(bytes); }
#define RELAYOUT_ALLOCATE_Device(bytes) return allocate(pointer, bytes, false)
#define RELAYOUT_ALLOCATE_Managed(bytes) return allocate(pointer, bytes, true)
#define RELAYOUT_ALLOCATE_Host(bytes) return allocatePinned(pointer, bytes)
#define RELAYOUT_ALLOCATE_Pitched(bytes)                                                           \
  if (pitch == nullptr)                                                                            \
    return fail(cudaErrorInvalidValue);                                                            \
  *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;                      \
  return allocate(pointer, bytes, false)
// What a graph frees it has again at its next launch: captured, memory stays.
#define RELAYOUT_KEEPS_Immediate false
#define RELAYOUT_KEEPS_OnStream detail::isCaptured(stream)
#define CUDA_FREE(name, order, form, memory, parameters, arguments, ...)                           \
  cudaError_t name parameters {                                                                    \
    return RELAYOUT_KEEPS_##order ? cudaSuccess : RELAYOUT_FREE_##memory(pointer);                 \
  }
#define RELAYOUT_FREE_Device release
#define RELAYOUT_FREE_Host releasePinned
#define CUDA_COPY(name, order, form, parameters, arguments, rows, ...)                             \
  cudaError_t name parameters {                                                                    \
    return RELAYOUT_WHEN_##order([=] { return copy(to, from, Rows{RELAYOUT_LIST rows}); });        \
  }
#define CUDA_SET(name, order, form, parameters, arguments, rows, ...)                              \
  cudaError_t name parameters {                                                                    \
    return RELAYOUT_WHEN_##order([=] { return set(to, RELAYOUT_LIST rows); });                     \
  }
#include "relayout/base/cuda_calls.def"

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int) {
  if (pointer == nullptr || bytes == 0)
    return fail(cudaErrorInvalidValue);
  if (pinned().contains(pointer))
    return fail(cudaErrorHostMemoryAlreadyRegistered);
  pinned().add(pointer, bytes);
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *pointer) {
  return pinned().remove(pointer) ? cudaSuccess : fail(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int) {
  if (device == nullptr || !pinned().contains(host))
    return fail(cudaErrorInvalidValue);
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host) {
  if (flags == nullptr || !pinned().contains(host))
    return fail(cudaErrorInvalidValue);
  *flags = cudaHostAllocMapped | cudaHostAllocPortable;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *freeBytes, size_t *totalBytes) {
  if (freeBytes != nullptr)
    *freeBytes = Arena::instance().freeBytes();
  if (totalBytes != nullptr)
    *totalBytes = Arena::instance().totalBytes();
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer) {
  if (attributes == nullptr)
    return fail(cudaErrorInvalidValue);
  void *const same = const_cast<void *>(pointer);
  *attributes = {cudaMemoryTypeUnregistered, -1, nullptr, same};
  if (pinned().contains(pointer))
    *attributes = {cudaMemoryTypeHost, 0, same, same};
  else if (const auto allocation = Arena::instance().find(addressOf(pointer)))
    *attributes = {allocation->managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice, 0, same,
                   allocation->managed ? same : nullptr};
  else if (symbols().contains(pointer))
    *attributes = {cudaMemoryTypeDevice, 0, same, nullptr};
  return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t) {
  return pool == nullptr ? fail(cudaErrorInvalidValue) : allocate(pointer, bytes, false);
}

cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t) { return cudaSuccess; }

cudaError_t cudaMemAdvise(const void *, size_t, enum cudaMemoryAdvise, int) { return cudaSuccess; }

cudaError_t cudaMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes) {
  if (!relayout::host::isDevice(toDevice) || !relayout::host::isDevice(fromDevice))
    return fail(cudaErrorInvalidDevice);
  return copy(to, from, {bytes, bytes, bytes, 1, cudaMemcpyDeviceToDevice});
}

cudaError_t cudaMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice,
                                size_t bytes, cudaStream_t) {
  return cudaMemcpyPeer(to, toDevice, from, fromDevice, bytes);
}

} // extern "C"
