// SPDX-License-Identifier: Apache-2.0
// Kernels of the generated header, which move elements between records and views.
#include "header/memory_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace relayout::rewriter {
namespace {

struct TileShape {
  std::uint64_t columns; ///< elements that are adjacent by number
  std::uint64_t lines;   ///< adjacent in the view
};

/// So large that lanes which stand side by side reach far enough in both arrays, and so small that
/// an SM has several tiles at a time.
/// \param width  elements of a row by number; 0: known at run time
TileShape tileShape(std::uint32_t bytes, std::uint64_t width) {
  constexpr std::uint64_t kFewest = 1024, kMost = 4096, kMostBytes = 16u << 10;
  TileShape tile{.columns = bytes <= 4 ? 64u : 32u, .lines = 32};
  if (width != 0) { // in equal parts
    const std::uint64_t across = (width + tile.columns - 1) / tile.columns;
    tile.columns = (width + across - 1) / across;
  }
  while (tile.lines < kFewest &&
         tile.columns * tile.lines * 2 <= std::min(kMost, kMostBytes / bytes))
    tile.lines *= 2;
  return tile;
}

class MemoryKernels {
public:
  explicit MemoryKernels(const MemoryText &header)
      : header_(header), shape_(header.shape), scattersRanges_(header.storage.scattersRanges()) {}

  std::string write() {
    const bool in = header_.needs(ViewOperation::CopyIn);
    const bool out = header_.needs(ViewOperation::CopyOut) || (in && header_.parts.insideElements);
    const bool fills = scattersRanges_ && header_.needs(ViewOperation::Set);
    std::string text = conversions(in, out);
    if ((in || out) && header_.copiesInTiles())
      text += tiles();
    if (out && header_.copiesInTiles())
      text += tiledKernel(/*packs=*/true);
    else if (out && header_.packsByField())
      text += packKernel();
    if (in && header_.copiesInTiles())
      text += tiledKernel(/*packs=*/false);
    if (fills)
      text += fillKernel();
    return header_.filled(text, /*async=*/false);
  }

private:
  /// Where a field is called `load` or `store`, what the shared header converts an element by.
  [[nodiscard]] std::string conversions(bool in, bool out) const {
    if (!header_.names.loadsByAnotherName())
      return {};
    const bool within =
        header_.parts.conversions || (scattersRanges_ && header_.needs(ViewOperation::CopyWithin));
    std::string text;
    if (out && !header_.copiesInTiles() && !header_.packsByField())
      text += "inline __device__ void convertElement(@record@ *to, const @const@ &from, "
              "std::size_t i) {\n  *to = from.load(i);\n}\n";
    if (in && !header_.copiesInTiles())
      text += "inline __device__ void convertElement(const @view@ &to, @record@ *from, "
              "std::size_t i) {\n  to.store(i, *from);\n}\n";
    if (within)
      text += "template <class From>\n"
              "__device__ void convertElement(const @view@ &to, const From &from, std::size_t i) "
              "{\n  to.store(i, from.load(i));\n}\n";
    return text.empty() ? text : "/// Found by relayout_memory::convert().\n" + text + "\n";
  }

  /// Field by field: whole records would bring their padding along.
  [[nodiscard]] std::string packKernel() const {
    return std::string("static __global__ void @lower@Pack(@record@ *to, @const@ from, "
                       "std::size_t count) {\n") +
           "  __shared__ relayout_memory::RecordTile<@record@> tile;\n"
           "  const std::size_t first = blockIdx.x * std::size_t(tile.kThreads), "
           "i = first + threadIdx.x;\n"
           "  if (i < count) {\n"
           "    @record@ &own = *tile.cleared(to, i);\n" +
           (shape_.hasPrivateMembers ? "    const @stem@Members value = from.members(i);\n"
                                       "    auto &place = reinterpret_cast<@stem@Members &>(own);\n"
                                     : "    const @record@ value = from.load(i);\n") +
           copyValue("    ", "own") + "  }\n  tile.put(to, first, count);\n}\n\n";
  }

  [[nodiscard]] std::string tiles() const {
    const TileShape tile = tileShape(shape_.bytes, header_.storage.rowExtent());
    return fmt::format("/// Copies go in tiles, so that lanes stand side by side in both arrays.\n"
                       "using @stem@Tiles = relayout_memory::Tiles<{}, {}>;\n\n",
                       tile.columns, tile.lines);
  }

  /// First lanes read along the one array, then they write along the other. In a tile, places
  /// follow from the one of its first element.
  [[nodiscard]] std::string tiledKernel(bool packs) const {
    const std::string view = packs ? "from" : "to";
    const std::string inView = view + ".inTile(e.number, corner, e.line, e.column)";
    const std::string reads = packs ? "byPlace" : "byNumber",
                      writes = packs ? "byNumber" : "byPlace";
    const auto walk = [](const std::string &order, const std::string &body) {
      return "  tiles." + order + "([&](const @stem@Tiles::Element &e) " + body + ");\n";
    };
    std::string text = "static __global__ void @lower@";
    text += packs ? "Pack(@record@ *to, @const@ from, std::size_t count) {\n"
                  : "Unpack(@view@ to, const @record@ *from, std::size_t count) {\n";
    text += "  __shared__ @stem@Tiles::Memory<@record@> memory;\n"
            "  @record@ *const tile = reinterpret_cast<@record@ *>(memory.bytes);\n"
            "  @stem@Tiles tiles(" +
            view + ", count);\n";
    if (shape_.isScalar) // several loads at a time
      text += "  const std::size_t corner = " + view +
              ".tilePlace(tiles.take(blockIdx.x));\n"
              "  @record@ values[@stem@Tiles::kEach];\n" +
              walk(reads, "{ values[e.k] = " + (packs ? inView : "from[e.number]") + "; }") +
              walk(reads, "{ tile[e.place] = values[e.k]; }");
    else
      text += "  tiles.take(blockIdx.x);\n" +
              walk(reads, std::string("{ tile[e.place] = ") +
                              (packs ? "from.load(e.number)" : "from[e.number]") + "; }");
    text += "  __syncthreads();\n";
    if (shape_.isScalar)
      text += walk(writes, "{ " + (packs ? "to[e.number]" : inView) + " = tile[e.place]; }");
    else if (packs)
      text += walk(writes, "{\n    const @record@ value = tile[e.place];\n" +
                               copyValue("    ", "to[e.number]") + "  }");
    else
      text += walk(writes, "{ to.store(e.number, tile[e.place]); }");
    return text + "}\n\n";
  }

  [[nodiscard]] std::string fillKernel() const {
    return "static __global__ void @lower@Fill(@view@ to, int byte, std::size_t count) {\n" +
           std::string(shape_.defaultConstructs
                           ? "  @record@ value;\n"
                           : "  @stem@Storage storage;\n  @record@ &value = storage.value;\n") +
           "  std::memset(static_cast<void *>(&value), byte, sizeof(value));\n" +
           MemoryText::kEach + "\n    to.store(i, value);\n}\n\n";
  }

  /// `value` to an element.
  [[nodiscard]] std::string copyValue(const std::string &indent, const std::string &element) const {
    std::string text;
    for (const ShapeField &field : shape_.fields)
      text += copyByField(field, indent, shape_.hasPrivateMembers ? "place" : element);
    return text;
  }

  /// Field by field: whole records would bring their padding along, and its bytes are anything.
  static std::string copyByField(const ShapeField &field, std::string inner,
                                 const std::string &place) {
    std::string text, subscripts;
    for (std::size_t level = 0; level < field.extents.size(); ++level) {
      const std::string index = field.extents.size() == 1 ? "k" : fmt::format("k{}", level);
      text += fmt::format("{0}for (int {1} = 0; {1} < {2}; ++{1})\n", inner, index,
                          field.extents[level]);
      subscripts += fmt::format("[{}]", index);
      inner += "  ";
    }
    return text +
           fmt::format("{0}{3}.{1}{2} = value.{1}{2};\n", inner, field.name, subscripts, place);
  }

  const MemoryText &header_;
  const RecordShape &shape_;
  bool scattersRanges_; ///< kernels fill and copy ranges of elements
};

} // namespace

std::string memoryKernels(const MemoryText &header) { return MemoryKernels(header).write(); }

} // namespace relayout::rewriter
