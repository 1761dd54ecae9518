// SPDX-License-Identifier: Apache-2.0
// Kernels of the generated header, which move elements between records and views.
#include "header/memory_kernels.h"

#include <fmt/format.h>

#include <string>

namespace relayout::rewriter {
namespace {

/// Elements in a tile of four for each thread: 32 lines of 33.
constexpr unsigned kTileRoom = 32 * 33;
constexpr unsigned kThreads = 256; ///< of a block

/// What tiles there are, and the loop over them. Numbers are below 2^31, as places in such an array
/// are; one thread divides for its block.
constexpr const char *kTiles =
    "  // A tile: columns that are adjacent on the host, and lines that are adjacent in the view.\n"
    "  const unsigned columns = width < 32 ? width : 32, pitch = columns | 1;\n"
    "  const unsigned room = {} / pitch, most = {} / columns; // in the tile; of the threads\n"
    "  const unsigned lines = (room < most ? room : most) / 32 * 32;\n"
    "  const unsigned across = (width + columns - 1) / columns, down = (rows + lines - 1) / "
    "lines;\n"
    "  // Tiles follow one another in groups: few columns, or few lines, whichever are further "
    "apart.\n"
    "  const bool isTall = {}.tilePlace(1) > stride;\n"
    "  const unsigned mostAcross = isTall ? 4 : 256, mostDown = isTall ? 256 : 4;\n"
    "  const unsigned nearAcross = across < mostAcross ? across : mostAcross;\n"
    "  const unsigned nearDown = down < mostDown ? down : mostDown, near = nearAcross * nearDown;\n"
    "  const unsigned groupsAcross = (across + nearAcross - 1) / nearAcross;\n"
    "  const unsigned groupsDown = (down + nearDown - 1) / nearDown;\n"
    "  const unsigned parts = stride / width, area = stride * rows;\n"
    "  const unsigned tiles = (end + area - 1) / area * parts * groupsAcross * groupsDown * near;\n"
    "  for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {{\n"
    "    __syncthreads(); // the tile before is done\n"
    "    if (threadIdx.x == 0) {{\n"
    "      const unsigned group = t / near, part = group / groupsAcross / groupsDown;\n"
    "      left = (group % groupsAcross * nearAcross + t % nearAcross) * columns;\n"
    "      top = (group / groupsAcross % groupsDown * nearDown + t % near / nearAcross) * lines;\n"
    "      first = part % parts * width + part / parts * area + top * stride + left;\n";

class MemoryKernels {
public:
  explicit MemoryKernels(const MemoryText &header)
      : header_(header), shape_(header.shape), scattersRanges_(header.storage.scattersRanges()) {}

  std::string write() {
    const bool in = header_.needs(ViewOperation::CopyIn);
    const bool out = header_.needs(ViewOperation::CopyOut) || (in && header_.parts.insideElements);
    const bool fills = scattersRanges_ && header_.needs(ViewOperation::Set);
    std::string text;
    if (header_.copiesInTiles() && (in || out))
      text += "/// Shared memory for a tile of elements, of which none is constructed.\n"
              "struct @stem@Tile {\n"
              "  alignas(@record@) unsigned char bytes[" +
              std::to_string(kTileRoom / 4 * each()) +
              " * sizeof(@record@)];\n"
              "};\n\n";
    if (out && header_.copiesInTiles())
      text += tiledKernel(/*packs=*/true);
    else if (out && header_.packsByField())
      text += packKernel();
    if (in && header_.copiesInTiles())
      text += tiledKernel(/*packs=*/false);
    if (header_.copiesInTiles() && (in || out))
      text +=
          "/// Blocks that walk `count` elements in tiles: so many that there is enough to do.\n"
          "@inline@ unsigned @lower@Blocks(std::size_t count) {\n"
          "  const std::size_t blocks = (count + 1023) / 1024;\n"
          "  return unsigned(blocks < 4096 ? blocks : 4096);\n}\n\n";
    if (fills)
      text += fillKernel();
    return header_.filled(text, /*async=*/false);
  }

private:
  /// Field by field: whole records would bring their padding along.
  [[nodiscard]] std::string packKernel() const {
    return "static __global__ void @lower@Pack(@record@ *to, @const@ from, std::size_t count) {\n" +
           MemoryText::kEach + " {\n" +
           (shape_.hasPrivateMembers
                ? "    const @stem@Members value = from.members(i);\n"
                  "    auto &place = reinterpret_cast<@stem@Members &>(to[i]);\n"
                : "    const @record@ value = from.load(i);\n") +
           copyValue("    ") + "  }\n}\n\n";
  }

  /// Lanes stand side by side in both arrays: first they read along the one, then they write along
  /// the other. In a tile, places follow from the one of its first element.
  [[nodiscard]] std::string tiledKernel(bool packs) const {
    const std::string view = packs ? "from" : "to";
    const std::string inTile = "tile[line * pitch + column]";
    const std::string inView = view + ".inTile(i, corner, line, column)";
    const std::string along = walk("column", "columns", "line", "lines");  // as the host's lie
    const std::string across = walk("line", "lines", "column", "columns"); // as the view's do
    std::string text = "/// In tiles, so that lanes stand side by side in both arrays.\n"
                       "static __global__ void @lower@";
    text += packs ? "Pack(@record@ *to, @const@ from, std::size_t count) {\n"
                  : "Unpack(@view@ to, const @record@ *from, std::size_t count) {\n";
    text += "  __shared__ @stem@Tile memory;\n"
            "  __shared__ unsigned left;\n"
            "  __shared__ unsigned top;\n"
            "  __shared__ unsigned first;\n";
    text += shape_.isScalar ? "  __shared__ std::size_t corner;\n" : "";
    text += "  @record@ *const tile = reinterpret_cast<@record@ *>(memory.bytes);\n"
            "  const unsigned width = unsigned(" +
            view + ".tileWidth()), stride = unsigned(" + view + ".tileStride());\n" +
            "  const unsigned rows = unsigned(" + view + ".tileRows()), end = unsigned(count);\n" +
            fmt::format(kTiles, kTileRoom / 4 * each(), kThreads * each(), view);
    text += shape_.isScalar ? "      corner = " + view + ".tilePlace(first);\n" : "";
    text += "    }\n    __syncthreads();\n";
    const std::string &reads = packs ? across : along;
    if (shape_.isScalar) // several loads at a time
      text += fmt::format("    @record@ values[{}];\n", each()) + reads +
              "        values[k] = " + (packs ? inView : "from[i]") + ";\n    }\n" + reads +
              "        " + inTile + " = values[k];\n    }\n";
    else
      text +=
          reads + "        " + inTile + " = " + (packs ? "from.load(i)" : "from[i]") + ";\n    }\n";
    text += "    __syncthreads();\n";
    if (packs)
      text += along.substr(0, along.size() - 1) + " {\n          const @record@ value = " + inTile +
              ";\n" + copyValue("          ") + "        }\n";
    else
      text += across + "        " +
              (shape_.isScalar ? inView + " = " + inTile : "to.store(i, " + inTile + ")") + ";\n";
    return text + "    }\n  }\n}\n\n";
  }

  /// Elements of a tile for each of 256 threads: so many of the small ones that lanes which stand
  /// side by side reach far enough.
  [[nodiscard]] unsigned each() const { return shape_.bytes > 4 ? 4 : 8; }

  /// The head of a loop over a tile's elements. Lanes follow one another by one index; then the
  /// condition that there is such an element. \param counted  how many of the index there are in a
  /// full tile
  [[nodiscard]] std::string walk(const std::string &fast, const std::string &counted,
                                 const std::string &slow, const std::string &countedSlow) const {
    return fmt::format(
        "#pragma unroll\n"
        "    for (unsigned k = 0, {0} = threadIdx.x % {1}, {2} = threadIdx.x / {1}; "
        "k < {4};\n"
        "         ++k, {0} += 256 % {1}, {2} += 256 / {1}) {{\n"
        "      if ({0} >= {1})\n"
        "        {0} -= {1}, ++{2};\n"
        "      const unsigned i = first + line * stride + column;\n"
        "      if ({2} < {3} && left + column < width && top + line < rows && i < end)\n",
        fast, counted, slow, countedSlow, each());
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
  [[nodiscard]] std::string copyValue(const std::string &indent) const {
    std::string text;
    for (const ShapeField &field : shape_.fields)
      text += shape_.isScalar ? indent + "to[i] = value;\n" : copyByField(field, indent);
    return text;
  }

  /// Field by field: whole records would bring their padding along, and its bytes are anything.
  [[nodiscard]] std::string copyByField(const ShapeField &field, std::string inner) const {
    std::string text, subscripts;
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
