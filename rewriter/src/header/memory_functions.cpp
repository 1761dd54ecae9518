// SPDX-License-Identifier: Apache-2.0
// The last part of the generated header: what is called instead of cudaMalloc, cudaMemcpy and
// related calls.
#include "header/memory_functions.h"

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

/// Bytes of a record of which 32 times 33 fit in the shared memory that every block may have.
constexpr std::uint32_t kLargestInTiles = (48u << 10) / (32 * 33);

class MemoryFunctions {
public:
  MemoryFunctions(const RecordShape &shape, const GeneratedNames &names, const ViewStorage &storage,
                  const HeaderParts &parts, const ViewOperations &needs)
      : shape_(shape), names_(names), scattersRanges_(storage.scattersRanges()), storage_(storage),
        parts_(parts), needs_(needs) {}

  std::string write() {
    if (needs(ViewOperation::CopyIn) || needs(ViewOperation::CopyOut))
      staging();
    for (const bool async : {false, true})
      if (!async || parts_.onStreams)
        withoutKernels(async);
    std::string before = std::move(text_);
    text_.clear();
    kernels();
    for (const bool async : {false, true})
      if (!async || parts_.onStreams)
        withKernels(async);
    if (text_.empty()) {
      before.pop_back(); // the last of two line ends
      return before;
    }
    return before + "#ifdef __CUDACC__\n" + text_ + declarations() + "#endif // __CUDACC__\n";
  }

private:
  [[nodiscard]] bool needs(ViewOperation operation) const { return needs_.count(operation) != 0; }

  /// Copies and sets within the device are CUDA's own where no kernel moves elements.
  [[nodiscard]] bool usesKernels() const { return scattersRanges_ || parts_.insideElements; }

  void withoutKernels(bool async) {
    allocation(async);
    if (needs(ViewOperation::Free))
      release(async);
    if (usesKernels())
      return;
    if (needs(ViewOperation::CopyWithin))
      copyWithin(async);
    if (needs(ViewOperation::Set))
      set(async);
  }

  void withKernels(bool async) {
    if (needs(ViewOperation::CopyIn))
      copyIn(async);
    if (needs(ViewOperation::CopyOut))
      copyOut(async);
    if (usesKernels() && needs(ViewOperation::CopyWithin))
      copyWithin(async);
    if (usesKernels() && needs(ViewOperation::Set))
      set(async);
    if (parts_.conversions)
      convert(async);
  }

  /// The text with the header's names in place of @lower@, @view@, @const@, @record@; @async@,
  /// @stream@ and @streamParameter@ are empty in the functions that take no stream.
  /// \param view  the parameter that stands for VIEW
  [[nodiscard]] std::string filled(std::string text, bool async,
                                   const std::string &view = {}) const {
    const std::pair<const char *, std::string> words[] = {
        {"@lower@", names_.lowerStem},
        {"@view@", names_.view},
        {"@const@", names_.constView},
        {"@record@", shape_.name},
        {"@stem@", names_.stem},
        {"@inline@", parts_.isShared ? "inline" : "static inline"},
        {"@async@", async ? "Async" : ""},
        {"@stream@", async ? ", stream" : ""},
        {"@extents@", extentParameters()},
        {"@givenExtents@", givenExtents()},
        {"VIEW.", view + "."},
        {"@threads@", copiesInTiles() ? "dim3(32, 8)" : "256"},
        {"@onStream@", async ? ", 0, stream" : ""},
        {"@streamDefault@", async ? ", cudaStream_t stream = 0" : ""},
        {"@streamParameter@", async ? ", cudaStream_t stream" : ""},
    };
    for (const auto &[word, replacement] : words)
      for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;)
        text.replace(at, std::char_traits<char>::length(word), replacement),
            at += replacement.size();
    return text;
  }

  [[nodiscard]] std::string extentParameters() const {
    std::string text;
    for (const std::string &name : storage_.extentParameters())
      text += fmt::format(", {}Extent {}", names_.stem, name);
    return text;
  }

  [[nodiscard]] std::string givenExtents() const {
    std::string text;
    for (const std::string &name : storage_.extentParameters())
      text += ", " + name;
    return text;
  }

  /// What a copy or a set is called with.
  [[nodiscard]] static std::string head(ViewOperation operation) {
    constexpr const char *kCopy = "cudaError_t @lower@Memcpy@async@({}, std::size_t bytes,\n{:40}"
                                  "cudaMemcpyKind kind@streamDefault@)";
    switch (operation) {
    case ViewOperation::CopyIn:
      return fmt::format(kCopy, "@view@ to, const @record@ *from", "");
    case ViewOperation::CopyOut:
      return fmt::format(kCopy, "@record@ *to, @const@ from", "");
    case ViewOperation::CopyWithin:
      return fmt::format(kCopy, "@view@ to, @const@ from", "");
    default:
      return "cudaError_t @lower@Memset@async@(@view@ view, int value, std::size_t "
             "bytes@streamDefault@)";
    }
  }

  /// Host units call functions that launch kernels: every CUDA unit has those, called there or not.
  [[nodiscard]] bool isForHost(ViewOperation operation) const {
    const bool launches =
        usesKernels() || operation == ViewOperation::CopyIn || operation == ViewOperation::CopyOut;
    return launches && parts_.onHost.count(operation) != 0;
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
        if (isForHost(operation) && (!async || parts_.onStreams))
          text += filled(head(operation) + ";\n", async);
    return text.empty() ? text : "#else // every CUDA unit has them\n" + text;
  }

  void kernels() {
    const bool fills = scattersRanges_ && needs(ViewOperation::Set);
    const bool moves = scattersRanges_ && needs(ViewOperation::CopyWithin);
    const bool packs =
        needs(ViewOperation::CopyOut) || (parts_.insideElements && needs(ViewOperation::CopyIn));
    std::string pack =
        "static __global__ void @lower@Pack(@record@ *to, @const@ from, std::size_t "
        "count) {\n" +
        kEach + " {\n" +
        (shape_.hasPrivateMembers ? "    const @stem@Members value = from.members(i);\n"
                                    "    auto &place = reinterpret_cast<@stem@Members &>(to[i]);\n"
                                  : "    const @record@ value = from.load(i);\n");
    for (const ShapeField &field : shape_.fields)
      pack += shape_.isScalar ? "    to[i] = value;\n" : copyByField(field);
    if (copiesInTiles() && (packs || needs(ViewOperation::CopyIn)))
      text_ += filled("/// Shared memory for 32 by 32 elements, of which none is constructed.\n"
                      "struct @stem@Tile {\n"
                      "  alignas(@record@) unsigned char bytes[32 * 33 * sizeof(@record@)];\n"
                      "};\n\n",
                      false);
    if (packs)
      text_ += copiesInTiles() ? tiledKernel(/*packs=*/true) : filled(pack + "  }\n}\n\n", false);
    if (needs(ViewOperation::CopyIn) && copiesInTiles())
      text_ += tiledKernel(/*packs=*/false);
    else if (needs(ViewOperation::CopyIn))
      text_ += filled("static __global__ void @lower@Unpack(@view@ to, const @record@ *from, "
                      "std::size_t count) {\n" +
                          kEach + "\n    to.store(i, from[i]);\n}\n\n",
                      false);
    if (fills || moves || packs || needs(ViewOperation::CopyIn) || parts_.conversions)
      text_ += filled("/// Blocks for a kernel that walks `count` elements.\n"
                      "@inline@ unsigned @lower@Blocks(std::size_t count) {\n"
                      "  const std::size_t blocks = (count + 255) / 256;\n"
                      "  return unsigned(blocks < 65536 ? blocks : 65536);\n}\n\n",
                      false);
    if (fills)
      fillKernel();
    if (moves)
      text_ += filled("static __global__ void @lower@Move(@view@ to, @const@ from, std::size_t "
                      "count) {\n" +
                          kEach + "\n    to.store(i, from.load(i));\n}\n\n",
                      false);
  }

  /// Where the view has another order of elements, and a tile of records fits in shared memory.
  [[nodiscard]] bool copiesInTiles() const {
    return storage_.copiesInTiles() && !shape_.hasPrivateMembers && shape_.bytes <= kLargestInTiles;
  }

  /// Lanes stand side by side in both arrays: first they read along the one, then they write along
  /// the other.
  [[nodiscard]] std::string tiledKernel(bool packs) const {
    const std::string along = // the host's order
        "      const std::size_t i = first + (row + k) * stride + column + threadIdx.x;\n"
        "      if (column + threadIdx.x < width && row + k < rows && i < count)";
    const std::string across = // the view's
        "      const std::size_t i = first + (row + threadIdx.x) * stride + column + k;\n"
        "      if (column + k < width && row + threadIdx.x < rows && i < count)";
    std::string write = " {\n        const @record@ value = tile[k][threadIdx.x];\n";
    for (const ShapeField &field : shape_.fields)
      write += shape_.isScalar ? "    to[i] = value;\n" : copyByField(field);
    write += "      }\n";
    const std::string each = "    for (unsigned k = threadIdx.y; k < 32; k += blockDim.y) {\n";
    return filled(
        std::string("/// In tiles, so that lanes stand side by side in both arrays.\n") +
            (packs ? "static __global__ void @lower@Pack(@record@ *to, @const@ from, std::size_t "
                     "count) {\n"
                   : "static __global__ void @lower@Unpack(@view@ to, const @record@ *from, "
                     "std::size_t count) {\n") +
            "  __shared__ @stem@Tile memory;\n"
            "  using Row = @record@[33];\n"
            "  Row *const tile = reinterpret_cast<Row *>(memory.bytes);\n"
            "  const std::size_t width = VIEW.tileWidth(), stride = VIEW.tileStride(), rows = "
            "VIEW.tileRows();\n"
            "  const std::size_t acrossTiles = (width + 31) / 32, downTiles = (rows + 31) / 32;\n"
            "  const std::size_t area = stride * rows, parts = stride / width;\n"
            "  const std::size_t tiles = (count + area - 1) / area * parts * acrossTiles * "
            "downTiles;\n"
            "  for (std::size_t t = blockIdx.x; t < tiles; t += gridDim.x) {\n"
            "    const std::size_t column = t % acrossTiles * 32, row = t / acrossTiles % "
            "downTiles "
            "* 32;\n"
            "    const std::size_t part = t / acrossTiles / downTiles;\n"
            "    const std::size_t first = part % parts * width + part / parts * area;\n"
            "    __syncthreads();\n" +
            each +
            (packs ? across + "\n        tile[threadIdx.x][k] = from.load(i);\n"
                   : along + "\n        tile[k][threadIdx.x] = from[i];\n") +
            "    }\n    __syncthreads();\n" + each +
            (packs ? along + write : across + "\n        to.store(i, tile[threadIdx.x][k]);\n") +
            "    }\n  }\n}\n\n",
        false, packs ? "from" : "to");
  }

  void fillKernel() {
    text_ += filled(
        "static __global__ void @lower@Fill(@view@ to, int byte, std::size_t count) {\n" +
            std::string(shape_.defaultConstructs
                            ? "  @record@ value;\n"
                            : "  @stem@Storage storage;\n  @record@ &value = storage.value;\n") +
            "  std::memset(static_cast<void *>(&value), byte, sizeof(value));\n" + kEach +
            "\n    to.store(i, value);\n}\n\n",
        false);
  }

  /// Field by field: whole records would bring their padding along, and its bytes are anything.
  [[nodiscard]] std::string copyByField(const ShapeField &field) const {
    std::string text, subscripts, inner = "    ";
    for (std::size_t level = 0; level < field.extents.size(); ++level) {
      const std::string index = field.extents.size() == 1 ? "k" : fmt::format("k{}", level);
      text += fmt::format("{0}for (int {1} = 0; {1} < {2}; ++{1})\n", inner, index,
                          field.extents[level]);
      subscripts += fmt::format("[{}]", index);
      inner += "  ";
    }
    return text + fmt::format("{0}{3}.{1}{2} = value.{1}{2};\n", inner, field.name, subscripts,
                              shape_.hasPrivateMembers ? "place" : "to[i]");
  }

  void allocation(bool async) {
    text_ += filled(
        R"(/// cudaMalloc@async@ of bytes / sizeof(@record@) elements.
@inline@ cudaError_t @lower@Malloc@async@(@view@ *view, std::size_t bytes@extents@@streamParameter@) {
  if (bytes >> 48 != 0)
    return cudaErrorMemoryAllocation; // and no product below overflows
  if (bytes == 0) {
    *view = nullptr;
    return cudaSuccess;
  }
  const std::size_t count = (bytes + sizeof(@record@) - 1) / sizeof(@record@);
)" +
            (storage_.tooMany().empty()
                 ? std::string()
                 : "  if (" + storage_.tooMany() +
                       ")\n    return cudaErrorMemoryAllocation; // elements are numbered in 32 "
                       "bits\n") +
            R"(  void *allocation = nullptr;
  const cudaError_t status = cudaMalloc@async@(&allocation, @view@::allocationBytes(count@givenExtents@)@stream@);
  if (status == cudaSuccess)
    *view = @view@::over(allocation, count@givenExtents@);
  return status;
}

)",
        async);
  }

  /// Staging memory is kept only as long as arrays are freed later.
  void release(bool async) {
    const bool keeps = !async && (needs(ViewOperation::CopyIn) || needs(ViewOperation::CopyOut));
    text_ += filled("/// cudaFree@async@ of what @lower@Malloc@async@ gave" +
                        std::string(keeps ? ", and of the staging memory" : "") +
                        ".\n@inline@ cudaError_t @lower@Free@async@(@view@ "
                        "view@streamParameter@) {\n" +
                        (keeps ? "  @record@ *staging = nullptr;\n"
                                 "  const cudaError_t status = @lower@Staging(&staging, 0);\n"
                                 "  const cudaError_t freed = cudaFree(view.allocation());\n"
                                 "  return status != cudaSuccess ? status : freed;\n}\n\n"
                               : "  return cudaFree@async@(view.allocation()@stream@);\n}\n\n"),
                    async);
  }

  /// Staging memory of copies that are not on streams.
  void staging() {
    text_ += filled(
        R"(/// Device memory for `bytes` bytes of records on the way; kept for the next copy, given back with 0.
@inline@ cudaError_t @lower@Staging(@record@ **staging, std::size_t bytes) {
  static thread_local void *kept = nullptr;
  static thread_local std::size_t keptBytes = 0;
  static thread_local int keptOn = 0;
  int device = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess && (bytes == 0 || bytes > keptBytes || device != keptOn)) {
    status = cudaFree(kept);
    kept = nullptr;
    if (status == cudaSuccess && bytes != 0)
      status = cudaMalloc(&kept, bytes);
    keptBytes = kept ? bytes : 0;
    keptOn = device;
  }
  *staging = static_cast<@record@ *>(kept);
  return status;
}

)",
        false);
  }

  /// The count of elements, and room for them as records.
  [[nodiscard]] std::string takeStaging(bool async) const {
    const std::string room = parts_.insideElements ? "count * sizeof(@record@)" : "bytes";
    return (parts_.insideElements ? std::string() : kOnlyWhole) +
           "  if (bytes == 0)\n    return cudaSuccess;\n  const std::size_t count = " +
           (parts_.insideElements ? "(bytes + sizeof(@record@) - 1)" : "bytes") +
           " / sizeof(@record@);\n  @record@ *staging = nullptr;\n  cudaError_t status = " +
           (async ? "cudaMallocAsync(reinterpret_cast<void **>(&staging), " + room + ", stream);\n"
                  : "@lower@Staging(&staging, " + room + ");\n") +
           "  if (status != cudaSuccess)\n    return status;\n";
  }

  /// The end of a copy: the staging memory goes back to the stream, or is kept.
  [[nodiscard]] std::string leaveStaging(bool async) const {
    if (async)
      return "  const cudaError_t freed = cudaFreeAsync(staging, stream);\n"
             "  return status != cudaSuccess ? status : freed;\n}\n\n";
    if (parts_.resetsDevice)
      return "  const cudaError_t freed = @lower@Staging(&staging, 0);\n"
             "  return status != cudaSuccess ? status : freed;\n}\n\n";
    return "  return status;\n}\n\n";
  }

  /// A launch's own error; one that stood before is left for others to see.
  [[nodiscard]] std::string launch(const std::string &kernel, const std::string &arguments,
                                   const std::string &indent, bool async) const {
    return filled(indent +
                      "const cudaError_t earlier = cudaPeekAtLastError(); // not of this "
                      "launch\n" +
                      indent + "@lower@" + kernel + "<<<@lower@Blocks(count), " +
                      (kernel.ends_with("ack") ? "@threads@" : "256") + "@onStream@>>>(" +
                      arguments + ");\n",
                  async);
  }

  void set(bool async) {
    std::string text =
        "/// cudaMemset@async@ of `bytes` bytes as @record@ counts them.\n" +
        opening(ViewOperation::Set) +
        (parts_.insideElements
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
    if (scattersRanges_)
      text += "  if (bytes == 0)\n    return cudaSuccess;\n"
              "  const std::size_t count = bytes / sizeof(@record@);\n" +
              launch("Fill", "view, value, count", "  ", async) +
              "  return earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;\n}\n\n";
    else
      text += "  return view.fill(value, bytes / sizeof(@record@)@stream@);\n}\n\n";
    text_ += filled(text, async);
  }

  void copyIn(bool async) {
    text_ += filled(
        (async ? std::string("/// cudaMemcpyAsync from records; all its steps are of "
                             "the stream.\n")
               : std::string("/// cudaMemcpy from records, which `bytes` counts.\n")) +
            opening(ViewOperation::CopyIn) + takeStaging(async) +
            std::string(parts_.insideElements
                            ? "  if (bytes % sizeof(@record@) != 0) // ends inside an element, of "
                              "which the rest stays\n    @lower@Pack<<<1, 1@onStream@>>>(staging + "
                              "(count - 1), to + (count - 1), 1);\n"
                            : "") +
            R"(  status = cudaMemcpy@async@(staging, from, bytes, kind@stream@);
  if (status == cudaSuccess) {
)" + launch("Unpack", "to, staging, count", "    ", async) +
            "    status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;\n" +
            (async ? ""
                   : "    if (status == cudaSuccess)\n"
                     "      status = cudaStreamSynchronize(0); // as cudaMemcpy would\n") +
            "  }\n" + leaveStaging(async),
        async);
  }

  void copyOut(bool async) {
    const std::string checked =
        "status = earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;\n";
    const std::string arguments = "staging, from, count";
    const std::string pack =
        shape_.hasPadding
            ? "  status = cudaMemset@async@(staging, 0, bytes@stream@); // padding\n"
              "  if (status == cudaSuccess) {\n" +
                  launch("Pack", arguments, "    ", async) + "    " + checked + "  }\n"
            : launch("Pack", arguments, "  ", async) + "  " + checked;
    text_ += filled((async ? std::string("/// cudaMemcpyAsync to records; all its steps are of the "
                                         "stream.\n")
                           : std::string("/// cudaMemcpy to records: the same bytes in one "
                                         "copy.\n")) +
                        opening(ViewOperation::CopyOut) + takeStaging(async) + pack +
                        "  if (status == cudaSuccess)\n"
                        "    status = cudaMemcpy@async@(to, staging, bytes, kind@stream@);\n" +
                        leaveStaging(async),
                    async);
  }

  void copyWithin(bool async) {
    std::string text =
        "/// cudaMemcpy@async@ within the device.\n" + opening(ViewOperation::CopyWithin) +
        "  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)\n"
        "    return cudaErrorInvalidMemcpyDirection;\n" +
        (parts_.insideElements
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
    if (scattersRanges_)
      text += "  if (bytes == 0)\n    return cudaSuccess;\n"
              "  const std::size_t count = bytes / sizeof(@record@);\n" +
              launch("Move", "to, from, count", "  ", async) +
              "  return earlier == cudaSuccess ? cudaPeekAtLastError() : cudaSuccess;\n}\n";
    else
      text += "  return from.copyTo(to, bytes / sizeof(@record@)@stream@);\n}\n";
    text_ += filled(text + "\n", async);
  }

  void convert(bool async) {
    if (!async)
      text_ += filled("template <class Other>\nstatic __global__ void @lower@Transfer(@view@ to, "
                      "Other from, std::size_t count) {\n" +
                          kEach + "\n    to.store(i, from.load(i));\n}\n\n",
                      async);
    text_ += filled(R"(/// cudaMemcpy@async@ within the device, from an array in another layout.
template <class Other>
@inline@ cudaError_t @lower@Convert@async@(@view@ to, Other from, std::size_t bytes,
                                         cudaMemcpyKind kind@streamDefault@) {
  if (bytes % sizeof(@record@) != 0)
    return cudaErrorInvalidValue;
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t count = bytes / sizeof(@record@);
)" + launch("Transfer", "to, from, count", "  ", async) +
                        "  return earlier == cudaSuccess ? cudaPeekAtLastError() : "
                        "cudaSuccess;\n}\n\n",
                    async);
  }

  inline static const std::string kOnlyWhole =
      "  if (bytes % sizeof(@record@) != 0)\n    return cudaErrorInvalidValue;\n";
  inline static const std::string kEach =
      "  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;\n"
      "       i += std::size_t(gridDim.x) * blockDim.x)";

  const RecordShape &shape_;
  const GeneratedNames &names_;
  bool scattersRanges_; ///< kernels fill and copy ranges of elements
  const ViewStorage &storage_;
  const HeaderParts &parts_;
  const ViewOperations &needs_;
  std::string text_;
};

} // namespace

std::string memoryFunctions(const RecordShape &shape, const GeneratedNames &names,
                            const ViewStorage &storage, const HeaderParts &parts,
                            const ViewOperations &needs) {
  return MemoryFunctions(shape, names, storage, parts, needs).write();
}

} // namespace relayout::rewriter
