// SPDX-License-Identifier: Apache-2.0
// Functions of the generated header for arrays that the host reaches, too.
#include "header/host_reachable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace relayout::rewriter {
namespace {

/// A call that tells where memory should be.
struct Hint {
  ViewOperation operation;
  const char *name;
  const char *parameters;
  const char *arguments;
};

constexpr Hint kHints[] = {
    {ViewOperation::Prefetch, "MemPrefetchAsync",
     "cudaMemLocation location, unsigned flags, cudaStream_t stream = 0",
     "location, flags, stream"},
    {ViewOperation::PrefetchToDevice, "MemPrefetchAsync", "int device, cudaStream_t stream = 0",
     "device, stream"},
    {ViewOperation::Advise, "MemAdvise", "cudaMemoryAdvise advice, cudaMemLocation location",
     "advice, location"},
    {ViewOperation::AdviseForDevice, "MemAdvise", "cudaMemoryAdvise advice, int device",
     "advice, device"},
};

std::string textOf(const Hint &hint, const MemoryText &header) {
  if (header.storage.scattersRanges())
    return fmt::format("/// cuda{0} is a hint, and has no range of bytes here.\n"
                       "template <class... Options>\n"
                       "@inline@ cudaError_t @lower@{0}(@placed@, std::size_t, Options...) {{\n"
                       "  return cudaSuccess;\n}}\n\n",
                       hint.name);
  return fmt::format("/// cuda{0} of `bytes` bytes as @record@ counts them, plane by plane.\n"
                     "@inline@ cudaError_t @lower@{0}(@placed@ view, std::size_t bytes, {1}) {{\n",
                     hint.name, hint.parameters) +
         fmt::format("  return view.eachRange((bytes + sizeof(@record@) - 1) / sizeof(@record@),\n"
                     "                        [&](const void *begin, std::size_t count) {{\n"
                     "    return cuda{}(begin, count, {});\n  }});\n}}\n\n",
                     hint.name, hint.arguments);
}

/// A memcpy of whole records: in, out, and from view to view.
std::string copies(const MemoryText &header, const char *by, const char *space, const char *name,
                   const std::array<ViewOperation, 3> &operations) {
  struct Copy {
    const char *what, *parameters, *assignment;
  };
  constexpr Copy kCopies[] = {
      {"from records", "@view@ to, const @record@ *from", "to.store(i, from[i])"},
      {"to records", "@record@ *to, @const@ from", "to[i] = from.load(i)"},
      {"from array to array", "@view@ to, @const@ from", "to.store(i, from.load(i))"}};
  std::string text;
  for (std::size_t c = 0; c < operations.size(); ++c)
    if (header.needs(operations[c]))
      text += fmt::format("/// memcpy by {}, {}.\n"
                          "{} void @lower@{}({}, std::size_t bytes) {{\n"
                          "  for (std::size_t i = 0; i < bytes / sizeof(@record@); ++i)\n"
                          "    {};\n}}\n\n",
                          by, kCopies[c].what, space, name, kCopies[c].parameters,
                          kCopies[c].assignment);
  return text;
}

/// A memset of whole records.
std::string setting(const MemoryText &header, const char *by, const char *space,
                    const char *function) {
  return fmt::format("/// memset by {}.\n{} void @lower@{}(@view@ view, int byte, std::size_t "
                     "bytes) {{\n",
                     by, space, function) +
         (header.shape.defaultConstructs
              ? "  @record@ value;\n"
              : "  @stem@Storage storage;\n  @record@ &value = storage.value;\n") +
         "  std::memset(static_cast<void *>(&value), byte, sizeof(value));\n"
         "  for (std::size_t i = 0; i < bytes / sizeof(@record@); ++i)\n"
         "    view.store(i, value);\n}\n\n";
}

} // namespace

bool givesHints(const ViewOperations &needs) {
  return std::ranges::any_of(kHints,
                             [&](const Hint &hint) { return needs.count(hint.operation) != 0; });
}

std::string reachableFunctions(const MemoryText &header) {
  std::string text;
  if (header.needs(ViewOperation::FreePinned))
    text += "/// cudaFreeHost of page-locked memory.\n"
            "@inline@ cudaError_t @lower@FreeHost(@freed@ view) {\n"
            "  return cudaFreeHost(view.allocation());\n}\n\n";
  if (header.needs(ViewOperation::DevicePointer))
    text += R"(/// cudaHostGetDevicePointer: with unified addressing both sides have one pointer.
@inline@ cudaError_t @lower@HostGetDevicePointer(@view@ *device, @view@ host, unsigned flags) {
  void *allocation = nullptr;
  const cudaError_t status = cudaHostGetDevicePointer(&allocation, host.allocation(), flags);
  if (status == cudaSuccess && allocation != host.allocation())
    return cudaErrorNotSupported;
  if (status == cudaSuccess)
    *device = host;
  return status;
}

)";
  std::string_view last;
  for (const Hint &hint : kHints)
    if (header.needs(hint.operation) && !(header.storage.scattersRanges() && last == hint.name)) {
      text += textOf(hint, header);
      last = hint.name;
    }
  return header.filled(text, /*async=*/false);
}

std::string deviceFunctions(const MemoryText &header) {
  std::string text = copies(
      header, "device code", "__device__ inline", "DeviceMemcpy",
      {ViewOperation::DeviceCopyIn, ViewOperation::DeviceCopyOut, ViewOperation::DeviceCopyWithin});
  if (header.needs(ViewOperation::DeviceSet))
    text += setting(header, "device code", "__device__ inline", "DeviceMemset");
  return header.filled(text, /*async=*/false);
}

std::string hostFunctions(const MemoryText &header) {
  std::string text = copies(
      header, "the host", "@inline@", "HostMemcpy",
      {ViewOperation::HostCopyIn, ViewOperation::HostCopyOut, ViewOperation::HostCopyWithin});
  if (header.needs(ViewOperation::HostSet))
    text += setting(header, "the host", "@inline@", "HostMemset");
  return header.filled(text, /*async=*/false);
}

} // namespace relayout::rewriter
