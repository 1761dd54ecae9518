// SPDX-License-Identifier: Apache-2.0
// GPU tracing: how an instrumented module makes itself known to librelayout_gpu.so.
#pragma once

#include <cstddef>
#include <cstdint>

namespace relayout::device {

/// A site without counts of its own: it is executed whenever another is, by the same lanes.
struct SharedCount {
  std::uint32_t site;
  std::uint32_t countedBy;
};

/// An array that the program declares in device memory.
struct StaticArray {
  const char *name; ///< with static storage
  std::size_t bytes;
  const void *symbol; ///< as the host names it
};

/// See trace::Extent, which the text, with static storage, becomes part of.
struct NotedExtent {
  const char *text;
  unsigned long long value;
  unsigned digit;
};

/// A kernel, and its twin, which counts the same and records nothing: host addresses.
struct Twin {
  const void *kernel;
  const void *twin;
};

/// One a translation unit, with static storage.
struct Module {
  const char *siteTableJson;
  const SharedCount *sharedCounts; ///< valid while relayoutGpuRegister() runs
  std::size_t sharedCountRows;
  const StaticArray *staticArrays; ///< valid while relayoutGpuRegister() runs
  std::size_t staticArrayRows;
  const Twin *twins; ///< valid while relayoutGpuRegister() runs
  std::size_t twinRows;
  /// Device address of the module's Control in the current context; 0 where there is none.
  unsigned long long (*controlAddress)();
  /// The same of what the host names by a symbol.
  unsigned long long (*addressOf)(const void *symbol);
  /// How `<<<>>>` names a kernel since CUDA 13; null where it does not.
  const void *(*handleOf)(const void *kernel);
  /// In the current context, gives a twin the limits that the program has set for its kernel.
  /// \returns  whether it can be launched wherever the kernel can
  bool (*takeLimits)(const Twin &twin);
};

} // namespace relayout::device

#define RELAYOUT_EXPORTED __attribute__((visibility("default")))

extern "C" {
/// Called before main(). Does nothing unless a trace is asked for.
RELAYOUT_EXPORTED void relayoutGpuRegister(relayout::device::Module *module);

// What the hooks tell (runtime/gpu/hooks). Nothing happens unless a trace is asked for.

/// Before a launch: readies the modules in the current context, if that is not done.
RELAYOUT_EXPORTED void relayoutGpuArm(void);
/// Before a launch by the runtime, after the above.
/// \param kernel  host address, or handle
/// \param stream  where it is launched
/// \returns  what to launch: the kernel, or its twin where no records are wanted
RELAYOUT_EXPORTED const void *relayoutGpuKernelOrTwin(const void *kernel, std::size_t sharedBytes,
                                                      void *stream);
/// Before the current context is destroyed: takes out what its kernels wrote.
RELAYOUT_EXPORTED void relayoutGpuContextEnds(void);
/// Names the array that this thread allocates next.
/// \param name  with static storage
RELAYOUT_EXPORTED void relayoutGpuName(const char *name);
/// Says what is known of the extents of the array that this thread allocates next.
/// \param factors, others  see trace::ExtentNotes
RELAYOUT_EXPORTED void relayoutGpuExtents(const relayout::device::NotedExtent *factors,
                                          std::size_t factorCount,
                                          const relayout::device::NotedExtent *others,
                                          std::size_t otherCount);
/// Around the call of a function that allocates: what its caller knows of extents.
RELAYOUT_EXPORTED void relayoutGpuCallBegins(const relayout::device::NotedExtent *factors,
                                             std::size_t count);
RELAYOUT_EXPORTED void relayoutGpuCallEnds(void);
RELAYOUT_EXPORTED void relayoutGpuAllocated(const void *pointer, std::size_t bytes);
RELAYOUT_EXPORTED void relayoutGpuFreed(const void *pointer);
/// Either side may be the host's memory.
RELAYOUT_EXPORTED void relayoutGpuCopied(const void *to, const void *from, std::size_t bytes);
}

#undef RELAYOUT_EXPORTED
