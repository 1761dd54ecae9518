// SPDX-License-Identifier: Apache-2.0
// What is called instead of cudaMalloc and cudaFree.
#include "header/allocation_functions.h"

#include <fmt/format.h>

#include <string_view>

namespace relayout::rewriter {

namespace {

/// How arrays are allocated.
struct Allocation {
  ViewOperation operation;
  const char *function; ///< of CUDA's, which it stands for
  const char *call;     ///< of CUDA's, which it calls
  const char *parameter;
  const char *argument;
  const char *ofNothing; ///< what an allocation of no bytes returns
};

constexpr Allocation kWithFlags[] = {
    {ViewOperation::AllocateManaged, "MallocManaged", "MallocManaged",
     ", unsigned flags = cudaMemAttachGlobal", ", flags", "cudaErrorInvalidValue"},
    {ViewOperation::AllocatePinned, "MallocHost", "HostAlloc",
     ", unsigned flags = cudaHostAllocDefault", ", flags", "cudaSuccess"},
    {ViewOperation::AllocateMapped, "HostAlloc", "HostAlloc", ", unsigned flags", ", flags",
     "cudaSuccess"}};

std::string allocationOf(const Allocation &kind, const MemoryText &header, bool async) {
  const std::string tooMany = header.storage.tooMany();
  const bool refusesNothing = std::string_view(kind.ofNothing) != "cudaSuccess";
  return header.filled(
      fmt::format("/// cuda{} of bytes / sizeof(@record@) elements.\n"
                  "@inline@ cudaError_t @lower@{}(@view@ *view, std::size_t "
                  "bytes@extents@{}) {{\n",
                  kind.function, kind.function, kind.parameter) +
          (header.storage.extentParameters().empty() && !refusesNothing
               ? std::string()
               : fmt::format("  if (bytes == 0) {{\n    *view = nullptr;\n    return {};\n  }}\n",
                             kind.ofNothing)) +
          "  const std::size_t count = (bytes + sizeof(@record@) - 1) / sizeof(@record@);\n" +
          (tooMany.empty()
               ? "  if (bytes >> 48 != 0)\n"
                 "    return cudaErrorMemoryAllocation; // and no sum of planes overflows\n"
               : "  if (bytes >> 48 != 0 || " + tooMany +
                     ")\n    return cudaErrorMemoryAllocation; // elements are numbered in 32 "
                     "bits\n") +
          "  @view@ array;\n  void *memory = nullptr;\n" +
          fmt::format("  const cudaError_t status = cuda{}(&memory, array.placeAt(0, "
                      "count@givenExtents@){});\n",
                      kind.call, kind.argument) +
          R"(  array.placeAt(reinterpret_cast<std::size_t>(memory), count@givenExtents@);
  if (status == cudaSuccess)
    *view = array;
  return status;
}

)",
      async);
}

/// For functions that allocate what they are asked for, and know nothing of views.
std::string fillerOf(const MemoryText &header) {
  return header.filled(
      fmt::format(
          R"(/// Lets a function that allocates through `void **` fill in a view of bytes / sizeof(@record@)
/// elements, at the end of the expression around the call.
class {0} {{
public:
  {0}(@view@ *view, std::size_t bytes) : view_(view), count_(bytes / sizeof(@record@)) {{}}
  ~{0}() {{
    *view_ = nullptr;
    if (memory_)
      view_->placeAt(reinterpret_cast<std::size_t>(memory_), count_);
  }}
  operator void **() {{ return &memory_; }}

private:
  @view@ *view_;
  std::size_t count_;
  void *memory_ = nullptr;
}};

)",
          header.names.filler()),
      /*async=*/false);
}

} // namespace

std::string allocationFunctions(const MemoryText &header, bool async) {
  std::string text;
  if (!async && header.needs(ViewOperation::FillIn) && header.storage.extentParameters().empty())
    text += fillerOf(header);
  for (const Allocation &other : kWithFlags)
    if (!async && header.needs(other.operation))
      text += allocationOf(other, header, async);
  if (async || text.empty() || header.needs(ViewOperation::Allocate))
    text += allocationOf({ViewOperation::Allocate, async ? "MallocAsync" : "Malloc",
                          async ? "MallocAsync" : "Malloc", "@streamParameter@", "@stream@",
                          "cudaSuccess"},
                         header, async);
  return text;
}

std::string releaseFunction(const MemoryText &header, bool async) {
  const bool keeps =
      !async && (header.needs(ViewOperation::CopyIn) || header.needs(ViewOperation::CopyOut));
  return header.filled("/// cudaFree@async@ of what @lower@Malloc@async@ gave" +
                           std::string(keeps ? ", and of the staging memory" : "") +
                           ".\n@inline@ cudaError_t @lower@Free@async@(@freed@ "
                           "view@streamParameter@) {\n  return " +
                           (keeps ? "relayout_memory::release(view.allocation());\n}\n\n"
                                  : "cudaFree@async@(view.allocation()@stream@);\n}\n\n"),
                       async);
}

} // namespace relayout::rewriter
