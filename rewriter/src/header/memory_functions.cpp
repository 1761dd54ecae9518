// SPDX-License-Identifier: Apache-2.0
// The last part of the generated header: what is called instead of cudaMalloc, cudaMemcpy and
// related calls.
#include "header/memory_functions.h"

#include "header/allocation_functions.h"
#include "header/host_reachable.h"
#include "header/memory_kernels.h"
#include "header/shared_memory.h"
#include "header/variable_functions.h"

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

class MemoryFunctions {
public:
  MemoryFunctions(const RecordShape &shape, const GeneratedNames &names, const ViewStorage &storage,
                  const HeaderParts &parts, const ViewOperations &needs)
      : header_{shape, names, storage, parts, needs} {}

  std::string write() {
    for (const bool async : {false, true})
      if (!async || header_.parts.onStreams)
        withoutKernels(async);
    text_ += reachableFunctions(header_);
    text_ += variableFunctions(header_);
    std::string before = std::move(text_);
    text_ = memoryKernels(header_);
    for (const bool async : {false, true})
      if (!async || header_.parts.onStreams)
        withKernels(async);
    if (text_.empty()) {
      if (!before.empty())
        before.pop_back(); // the last of two line ends
      return before;
    }
    return before + "#ifdef __CUDACC__\n" + text_ + declarations() + "#endif // __CUDACC__\n";
  }

private:
  void withoutKernels(bool async) {
    if (header_.allocates())
      text_ += allocationFunctions(header_, async);
    if (header_.needs(ViewOperation::Free))
      text_ += releaseFunction(header_, async);
    if (header_.usesKernels())
      return;
    if (header_.needs(ViewOperation::CopyWithin))
      copyWithin(async);
    if (header_.needs(ViewOperation::Set))
      set(async);
  }

  void withKernels(bool async) {
    if (header_.needs(ViewOperation::CopyIn))
      copyIn(async);
    if (header_.needs(ViewOperation::CopyOut))
      copyOut(async);
    if (header_.usesKernels() && header_.needs(ViewOperation::CopyWithin))
      copyWithin(async);
    if (header_.usesKernels() && header_.needs(ViewOperation::Set))
      set(async);
    if (header_.parts.conversions)
      convert(async);
    text_ += variableCopies(header_, async);
    if (header_.needs(ViewOperation::CopyToSymbol))
      text_ += header_.filled(kToSymbol, async);
    if (header_.needs(ViewOperation::CopyFromSymbol))
      text_ += header_.filled(kFromSymbol, async);
  }

  /// What a copy or a set is called with.
  [[nodiscard]] static std::string head(ViewOperation operation) {
    constexpr const char *kCopy = "cudaError_t @lower@Memcpy@async@({}, std::size_t bytes,\n{:40}"
                                  "cudaMemcpyKind{}@streamDefault@)";
    switch (operation) {
    case ViewOperation::CopyIn:
      return fmt::format(kCopy, "@view@ to, const @record@ *from", "", " kind");
    case ViewOperation::CopyOut:
      return fmt::format(kCopy, "@record@ *to, @const@ from", "", " kind");
    case ViewOperation::CopyWithin:
      return fmt::format(kCopy, "@view@ to, @const@ from", "", "");
    default:
      return "cudaError_t @lower@Memset@async@(@view@ view, int value, std::size_t "
             "bytes@streamDefault@)";
    }
  }

  /// Host units call functions that launch kernels: every CUDA unit has those, called there or not.
  [[nodiscard]] bool isForHost(ViewOperation operation) const {
    const bool launches = header_.usesKernels() || operation == ViewOperation::CopyIn ||
                          operation == ViewOperation::CopyOut;
    return launches && header_.parts.onHost.count(operation) != 0;
  }

  [[nodiscard]] std::string opening(ViewOperation operation) const {
    return (isForHost(operation) ? "__attribute__((used)) inline " : "@inline@ ") +
           head(operation) + " {\n";
  }

  /// For host compilers, of what every CUDA unit has.
  [[nodiscard]] std::string declarations() const {
    std::string text;
    for (const bool async : {false, true})
      for (const ViewOperation operation : {ViewOperation::CopyIn, ViewOperation::CopyOut,
                                            ViewOperation::CopyWithin, ViewOperation::Set})
        if (isForHost(operation) && (!async || header_.parts.onStreams))
          text += header_.filled(head(operation) + ";\n", async);
    return text.empty() ? text : "#else // every CUDA unit has them\n" + text;
  }

  /// Staging memory with room for all elements.
  [[nodiscard]] std::string takeStaging(const std::string &kernel) const {
    const bool whole = !header_.parts.insideElements;
    std::string text = whole ? "  if (bytes == 0 || bytes % sizeof(@record@) != 0)\n"
                               "    return bytes == 0 ? cudaSuccess : cudaErrorInvalidValue;\n"
                             : "  if (bytes == 0)\n    return cudaSuccess;\n"
                               "  const std::size_t count = (bytes + sizeof(@record@) - 1) / "
                               "sizeof(@record@);\n";
    if (whole && hasKernel(kernel))
      text += "  const std::size_t count = bytes / sizeof(@record@);\n";
    return text +
           "  cudaError_t status = cudaSuccess;\n"
           "  auto *staging = static_cast<@record@ *>(relayout_memory::stage@async@(" +
           (whole ? "bytes" : "count * sizeof(@record@)") + "@stream@, &status));\n";
  }

  /// The end of a copy: the staging memory goes back to the stream, or is kept.
  [[nodiscard]] std::string leaveStaging(bool async) const {
    if (async)
      return "  return relayout_memory::unstageAsync(staging, stream, status);\n}\n\n";
    return header_.parts.resetsDevice ? "  return relayout_memory::unstage(status);\n}\n\n"
                                      : "  return status;\n}\n\n";
  }

  /// A step of a copy, which is done if those before went well.
  static std::string step(const std::string &call) {
    return "  if (status == cudaSuccess)\n    status = " + call + ";\n";
  }

  /// Whether the header has a kernel of its own: "Pack" or "Unpack".
  [[nodiscard]] bool hasKernel(const std::string &kernel) const {
    return header_.copiesInTiles() || (kernel == "Pack" && header_.packsByField());
  }

  /// Whether the kernel writes zeros there.
  [[nodiscard]] bool clearsPadding() const {
    return !header_.copiesInTiles() && header_.shape.bytes <= kLargestInRecordTile;
  }

  /// \param kernel  "Pack" or "Unpack"
  [[nodiscard]] std::string conversion(const std::string &kernel, const std::string &arguments,
                                       bool async) const {
    if (!hasKernel(kernel))
      return step("relayout_memory::convert(" + arguments + ", " +
                  (header_.parts.insideElements ? "count" : "bytes / sizeof(@record@)") +
                  "@stream@)");
    return "  if (status == cudaSuccess) {\n" +
           launch(kernel, arguments + ", count", "    ", async) +
           "    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;\n  }\n";
  }

  /// What the host copies itself, once what it reads is there.
  [[nodiscard]] std::string byTheHost(bool async) const {
    if (!header_.parts.reachesHost)
      return {};
    return "  if (kind == cudaMemcpyHostToHost) {\n" + wholeOnly("    ") +
           std::string(async ? "    const cudaError_t status = cudaStreamSynchronize(stream);\n"
                             : "    const cudaError_t status = cudaStreamSynchronize(0);\n") +
           "    if (status == cudaSuccess)\n      @lower@HostMemcpy(to, from, bytes);\n"
           "    return status;\n  }\n";
  }

  /// The end of what CUDA does in the device: the host waits where it reaches the array.
  [[nodiscard]] std::string ended(const std::string &status, bool async) const {
    if (async || !header_.parts.reachesHost)
      return "  return " + status + ";\n}\n";
    return "  const cudaError_t status = " + status +
           ";\n  return status == cudaSuccess ? cudaStreamSynchronize(0) : status;\n}\n";
  }

  /// A launch's own error; one that stood before is left for others to see.
  [[nodiscard]] std::string launch(const std::string &kernel, const std::string &arguments,
                                   const std::string &indent, bool async) const {
    const std::string tiled = kernel == "Pack" ? "from" : "to";
    const bool isInTiles = header_.copiesInTiles() && kernel.ends_with("ack");
    const std::string tile = "relayout_memory::RecordTile<@record@>::";
    const std::string blocks = isInTiles          ? "@stem@Tiles(" + tiled + ", count).blocks()"
                               : kernel == "Pack" ? tile + "blocks(count)"
                                                  : "unsigned((count + 255) / 256)";
    const std::string threads = !isInTiles && kernel == "Pack" ? tile + "kThreads" : "256";
    return header_.filled(indent +
                              "const cudaError_t earlier = cudaPeekAtLastError(); // not of this "
                              "launch\n" +
                              indent + "@lower@" + kernel + "<<<" + blocks + ", " + threads +
                              "@onStream@>>>(" + arguments + ");\n",
                          async);
  }

  void set(bool async) {
    std::string text =
        "/// cudaMemset@async@ of `bytes` bytes as @record@ counts them.\n" +
        opening(ViewOperation::Set) +
        (header_.parts.insideElements
             ? std::string(
                   R"(  if (bytes % sizeof(@record@) != 0) { // ends inside an element, of which the rest stays
    @record@ *staging = nullptr;
    cudaError_t status = cudaMalloc@async@(reinterpret_cast<void **>(&staging), bytes@stream@);
    if (status != cudaSuccess)
      return status;
    status = cudaMemset@async@(staging, value, bytes@stream@);
    if (status == cudaSuccess)
      status = @lower@Memcpy@async@(view, staging, bytes, cudaMemcpyDeviceToDevice@stream@);
    const cudaError_t freed = cudaFree@async@(staging@stream@);
    return status != cudaSuccess ? status : freed;
  }
)")
             : kOnlyWhole);
    if (header_.storage.scattersRanges())
      text += "  if (bytes == 0)\n    return cudaSuccess;\n"
              "  const std::size_t count = bytes / sizeof(@record@);\n" +
              (header_.storage.filling().empty() || header_.parts.reachesHost
                   ? std::string()
                   : "  if (count == view.places()) // CUDA's own\n"
                     "    return cudaMemset@async@(view.allocation(), value, bytes@stream@);\n") +
              launch("Fill", "view, value, count", "  ", async) +
              ended("earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess", async);
    else
      text += ended("view.fill(value, bytes / sizeof(@record@)@stream@)", async);
    text += "\n";
    text_ += header_.filled(text, async);
  }

  void copyIn(bool async) {
    std::string text = async
                           ? "/// cudaMemcpyAsync from records; all its steps are of the stream.\n"
                           : "/// cudaMemcpy from records, which `bytes` counts.\n";
    text += opening(ViewOperation::CopyIn) + byTheHost(async) + takeStaging("Unpack");
    if (header_.parts.insideElements)
      text += "  if (status == cudaSuccess && bytes % sizeof(@record@) != 0) // ends inside an "
              "element, of which the rest stays\n    " +
              std::string(hasKernel("Pack")
                              ? "@lower@Pack<<<1, 1@onStream@>>>(staging + (count - 1), "
                                "to + (count - 1), 1);\n"
                              : "status = relayout_memory::convert(staging + (count - 1), "
                                "@const@(to + (count - 1)), 1@stream@);\n");
    text += step("cudaMemcpy@async@(staging, from, bytes, kind@stream@)") +
            conversion("Unpack", "to, staging", async);
    if (!async && header_.parts.resetsDevice)
      text += step("cudaStreamSynchronize(0)"); // as cudaMemcpy would
    text += async || header_.parts.resetsDevice
                ? leaveStaging(async)
                : "  return status == cudaSuccess ? cudaStreamSynchronize(0) : status; // as "
                  "cudaMemcpy would\n}\n\n";
    text_ += header_.filled(text, async);
  }

  void copyOut(bool async) {
    std::string text = async ? "/// cudaMemcpyAsync to records; all its steps are of the stream.\n"
                             : "/// cudaMemcpy to records: the same bytes in one copy.\n";
    text += opening(ViewOperation::CopyOut) + byTheHost(async) + takeStaging("Pack");
    if (header_.shape.hasPadding && !clearsPadding())
      text += "  if (status == cudaSuccess) // padding\n"
              "    status = cudaMemset@async@(staging, 0, bytes@stream@);\n";
    text += conversion("Pack", "staging, from", async) +
            step("cudaMemcpy@async@(to, staging, bytes, kind@stream@)") + leaveStaging(async);
    text_ += header_.filled(text, async);
  }

  void copyWithin(bool async) {
    std::string text =
        "/// cudaMemcpy@async@ within the device, whatever direction is named.\n" +
        opening(ViewOperation::CopyWithin) +
        (header_.parts.insideElements
             ? std::string(
                   R"(  if (bytes % sizeof(@record@) != 0) { // ends inside an element, of which the rest stays
    @record@ *staging = nullptr;
    cudaError_t status = cudaMalloc@async@(reinterpret_cast<void **>(&staging), bytes@stream@);
    if (status != cudaSuccess)
      return status;
    status = @lower@Memcpy@async@(staging, from, bytes, cudaMemcpyDeviceToDevice@stream@);
    if (status == cudaSuccess)
      status = @lower@Memcpy@async@(to, staging, bytes, cudaMemcpyDeviceToDevice@stream@);
    const cudaError_t freed = cudaFree@async@(staging@stream@);
    return status != cudaSuccess ? status : freed;
  }
)")
             : kOnlyWhole);
    if (header_.storage.scattersRanges())
      text += "  if (bytes == 0)\n    return cudaSuccess;\n" +
              ended("relayout_memory::convert(to, from, bytes / sizeof(@record@)@stream@)", async);
    else
      text += ended("to.copyFrom(from, bytes / sizeof(@record@)@stream@)", async);
    text_ += header_.filled(text + "\n", async);
  }

  void convert(bool async) {
    text_ +=
        header_.filled(R"(/// cudaMemcpy@async@ within the device, from an array in another layout.
template <class Other>
@inline@ cudaError_t @lower@Convert@async@(@view@ to, Other from, std::size_t bytes,
                                         cudaMemcpyKind@streamDefault@) {
  if (bytes % sizeof(@record@) != 0)
    return cudaErrorInvalidValue;
  if (bytes == 0)
    return cudaSuccess;
  return relayout_memory::convert(to, from, bytes / sizeof(@record@)@stream@);
}

)",
                       async);
  }

  static std::string wholeOnly(const std::string &indent) {
    return indent + "if (bytes % sizeof(@record@) != 0)\n" + indent +
           "  return cudaErrorInvalidValue;\n";
  }

  static constexpr const char *kToSymbol =
      R"(/// cudaMemcpyToSymbol@async@: the variable's elements keep their layout.
template <class Symbol>
inline cudaError_t @lower@MemcpyToSymbol@async@(const Symbol &symbol, @const@ from,
                                                std::size_t bytes, std::size_t offset,
                                                cudaMemcpyKind kind@streamDefault@) {
  void *to = nullptr;
  const cudaError_t status = cudaGetSymbolAddress(&to, symbol);
  if (status != cudaSuccess)
    return status;
  return @lower@Memcpy@async@(reinterpret_cast<@record@ *>(static_cast<char *>(to) + offset), from,
                            bytes, kind@stream@);
}

)";
  static constexpr const char *kFromSymbol =
      R"(/// cudaMemcpyFromSymbol@async@: the variable's elements keep their layout.
template <class Symbol>
inline cudaError_t @lower@MemcpyFromSymbol@async@(@view@ to, const Symbol &symbol,
                                                  std::size_t bytes, std::size_t offset,
                                                  cudaMemcpyKind kind@streamDefault@) {
  void *from = nullptr;
  const cudaError_t status = cudaGetSymbolAddress(&from, symbol);
  if (status != cudaSuccess)
    return status;
  return @lower@Memcpy@async@(
      to, reinterpret_cast<const @record@ *>(static_cast<const char *>(from) + offset), bytes,
      kind@stream@);
}

)";
  inline static const std::string kOnlyWhole = wholeOnly("  ");
  MemoryText header_;
  std::string text_;
};

} // namespace

std::string memoryFunctions(const RecordShape &shape, const GeneratedNames &names,
                            const ViewStorage &storage, const HeaderParts &parts,
                            const ViewOperations &needs) {
  return MemoryFunctions(shape, names, storage, parts, needs).write();
}

} // namespace relayout::rewriter
