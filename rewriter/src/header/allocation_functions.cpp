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
};

constexpr Allocation kWithFlags[] = {
    {ViewOperation::AllocateManaged, "MallocManaged", "MallocManaged",
     ", unsigned flags = cudaMemAttachGlobal", ", flags"},
    {ViewOperation::AllocatePinned, "MallocHost", "HostAlloc",
     ", unsigned flags = cudaHostAllocDefault", ", flags"},
    {ViewOperation::AllocateMapped, "HostAlloc", "HostAlloc", ", unsigned flags", ", flags"},
};

/// What is larger than any memory CUDA refuses itself, so that its last error tells.
std::string allocationOf(const Allocation &kind, const MemoryText &header, bool async) {
  const auto allocate = [&kind](const char *bytes) {
    return fmt::format("cuda{}(&memory, {}{});\n", kind.call, bytes, kind.argument);
  };
  std::string text = fmt::format("/// cuda{} of bytes / sizeof(@record@) elements.\n"
                                 "@inline@ cudaError_t @lower@{}(@view@ *view, std::size_t "
                                 "bytes@extents@{}) {{\n"
                                 "  void *memory = nullptr;\n",
                                 kind.function, kind.function, kind.parameter);
  if (!header.storage.extentParameters().empty())
    text += "  if (bytes == 0) {\n    *view = nullptr;\n    return cudaSuccess;\n  }\n";
  const std::string tooMany = header.storage.tooMany();
  text += "  const std::size_t count = (bytes + sizeof(@record@) - 1) / sizeof(@record@);\n" +
          (tooMany.empty()
               ? "  if (bytes >> 48 != 0) // and no sum of planes overflows\n"
               : "  if (bytes >> 48 != 0 || " + tooMany + ") // elements have 32-bit numbers\n") +
          "    return " + allocate("~std::size_t(0) / 2") +
          "  @view@ array;\n"
          "  const cudaError_t status = " +
          allocate("array.placeAt(0, count@givenExtents@)") +
          R"(  array.placeAt(reinterpret_cast<std::size_t>(memory), count@givenExtents@);
  if (status == cudaSuccess)
    *view = array;
  return status;
}

)";
  return header.filled(text, async);
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
                          async ? "MallocAsync" : "Malloc", "@streamParameter@", "@stream@"},
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
