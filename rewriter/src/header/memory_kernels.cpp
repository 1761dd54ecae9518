// SPDX-License-Identifier: Apache-2.0
// Kernels of the generated header, which move elements between records and views.
#include "header/memory_kernels.h"

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

class MemoryKernels {
public:
  explicit MemoryKernels(const MemoryText &header)
      : header_(header), shape_(header.shape), scattersRanges_(header.storage.scattersRanges()) {}

  std::string write() {
    const bool in = header_.needs(ViewOperation::CopyIn);
    const bool out = header_.needs(ViewOperation::CopyOut) || (in && header_.parts.insideElements);
    const bool fills = scattersRanges_ && header_.needs(ViewOperation::Set);
    const bool moves = scattersRanges_ && header_.needs(ViewOperation::CopyWithin);
    std::string text;
    if (header_.copiesInTiles() && (in || out))
      text += "/// Shared memory for 32 by 32 elements, of which none is constructed.\n"
              "struct @stem@Tile {\n"
              "  alignas(@record@) unsigned char bytes[32 * 33 * sizeof(@record@)];\n"
              "};\n\n";
    if (out)
      text += header_.copiesInTiles() ? tiledKernel(/*packs=*/true) : packKernel();
    if (in)
      text += header_.copiesInTiles() ? tiledKernel(/*packs=*/false) : unpackKernel();
    if (in || out || fills || moves || header_.parts.conversions)
      text += "/// Blocks for a kernel that walks `count` elements.\n"
              "@inline@ unsigned @lower@Blocks(std::size_t count) {\n"
              "  const std::size_t blocks = (count + 255) / 256;\n"
              "  return unsigned(blocks < 65536 ? blocks : 65536);\n}\n\n";
    if (fills)
      text += fillKernel();
    if (moves)
      text += moveKernel();
    return header_.filled(text, /*async=*/false);
  }

private:
  [[nodiscard]] std::string packKernel() const {
    return "static __global__ void @lower@Pack(@record@ *to, @const@ from, std::size_t count) {\n" +
           MemoryText::kEach + " {\n" +
           (shape_.hasPrivateMembers
                ? "    const @stem@Members value = from.members(i);\n"
                  "    auto &place = reinterpret_cast<@stem@Members &>(to[i]);\n"
                : "    const @record@ value = from.load(i);\n") +
           copyValue() + "  }\n}\n\n";
  }

  [[nodiscard]] static std::string unpackKernel() {
    return "static __global__ void @lower@Unpack(@view@ to, const @record@ *from, "
           "std::size_t count) {\n" +
           MemoryText::kEach + "\n    to.store(i, from[i]);\n}\n\n";
  }

  [[nodiscard]] static std::string moveKernel() {
    return "static __global__ void @lower@Move(@view@ to, @const@ from, std::size_t count) {\n" +
           MemoryText::kEach + "\n    to.store(i, from.load(i));\n}\n\n";
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
    const std::string write =
        " {\n        const @record@ value = tile[k][threadIdx.x];\n" + copyValue() + "      }\n";
    const std::string each = "    for (unsigned k = threadIdx.y; k < 32; k += blockDim.y) {\n";
    const std::string view = packs ? "from" : "to";
    return std::string("/// In tiles, so that lanes stand side by side in both arrays.\n") +
           (packs ? "static __global__ void @lower@Pack(@record@ *to, @const@ from, std::size_t "
                    "count) {\n"
                  : "static __global__ void @lower@Unpack(@view@ to, const @record@ *from, "
                    "std::size_t count) {\n") +
           "  __shared__ @stem@Tile memory;\n"
           "  using Row = @record@[33];\n"
           "  Row *const tile = reinterpret_cast<Row *>(memory.bytes);\n"
           "  const std::size_t width = " +
           view + ".tileWidth(), stride = " + view + ".tileStride(), rows = " + view +
           ".tileRows();\n"
           "  const std::size_t acrossTiles = (width + 31) / 32, downTiles = (rows + 31) / 32;\n"
           "  const std::size_t area = stride * rows, parts = stride / width;\n"
           "  const std::size_t tiles = (count + area - 1) / area * parts * acrossTiles * "
           "downTiles;\n"
           "  for (std::size_t t = blockIdx.x; t < tiles; t += gridDim.x) {\n"
           "    const std::size_t column = t % acrossTiles * 32, row = t / acrossTiles % downTiles "
           "* 32;\n"
           "    const std::size_t part = t / acrossTiles / downTiles;\n"
           "    const std::size_t first = part % parts * width + part / parts * area;\n"
           "    __syncthreads();\n" +
           each +
           (packs ? across + "\n        tile[threadIdx.x][k] = from.load(i);\n"
                  : along + "\n        tile[k][threadIdx.x] = from[i];\n") +
           "    }\n    __syncthreads();\n" + each +
           (packs ? along + write : across + "\n        to.store(i, tile[threadIdx.x][k]);\n") +
           "    }\n  }\n}\n\n";
  }

  [[nodiscard]] std::string fillKernel() const {
    return "static __global__ void @lower@Fill(@view@ to, int byte, std::size_t count) {\n" +
           std::string(shape_.defaultConstructs
                           ? "  @record@ value;\n"
                           : "  @stem@Storage storage;\n  @record@ &value = storage.value;\n") +
           "  std::memset(static_cast<void *>(&value), byte, sizeof(value));\n" +
           MemoryText::kEach + "\n    to.store(i, value);\n}\n\n";
  }

  /// `value` to `to[i]`.
  [[nodiscard]] std::string copyValue() const {
    std::string text;
    for (const ShapeField &field : shape_.fields)
      text += shape_.isScalar ? "    to[i] = value;\n" : copyByField(field);
    return text;
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

  const MemoryText &header_;
  const RecordShape &shape_;
  bool scattersRanges_; ///< kernels fill and copy ranges of elements
};

} // namespace

std::string memoryKernels(const MemoryText &header) { return MemoryKernels(header).write(); }

} // namespace relayout::rewriter
