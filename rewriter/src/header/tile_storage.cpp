// SPDX-License-Identifier: Apache-2.0
// Views of tiled layouts: the array's base and the element's number. Tile, planes and padding are
// constants of the header, so that an address takes shifts and masks or multiplications, and no
// division at run time.
#include "header/view_storage.h"

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

class TileStorage : public ViewStorage {
public:
  TileStorage(const std::vector<PlaneCode> &planes, const analysis::Layout &layout,
              const analysis::AddressFunction &bound)
      : planes_(planes), tile_(layout.tile), padBytes_(layout.padBytes), bound_(bound) {}

  [[nodiscard]] bool scattersRanges() const override { return true; }
  [[nodiscard]] std::string tooMany() const override { return "count >> 32 != 0"; }

  [[nodiscard]] std::string description() const override {
    if (tile_ == 1 && planes_.size() == 1)
      return fmt::format("each element with {} bytes of padding behind it", padBytes_);
    std::string text = fmt::format("tiles of {} elements", tile_);
    if (padBytes_ != 0)
      text += fmt::format(", {} bytes of padding behind each plane", padBytes_);
    return text;
  }

  [[nodiscard]] std::string at(const PlaneCode &plane, const std::string &k, bool) const override {
    const auto cluster = static_cast<std::uint32_t>(plane.index);
    std::string start = std::to_string(bound_.clusterStart(cluster));
    if (plane.exploded && k != "0")
      start += fmt::format(" + {} * {}", k.find(' ') == std::string::npos ? k : "(" + k + ")",
                           bound_.planeBytes(cluster));
    return fmt::format("planeAt<{}>({}, i)", plane.type, start);
  }

  [[nodiscard]] std::string members() const override {
    return "  char *base_; // of the array's first tile\n"
           "  std::ptrdiff_t index_; // of the element the view stands at\n";
  }

  [[nodiscard]] std::vector<std::string> nulls() const override { return {"base_()", "index_()"}; }

  [[nodiscard]] std::string advance() const override { return "    index_ += n;\n"; }
  [[nodiscard]] std::string test() const override { return "base_ != nullptr"; }
  [[nodiscard]] std::string difference() const override { return "a.index_ - b.index_"; }
  [[nodiscard]] std::string comparison(const std::string &sign) const override {
    if (sign == "==")
      return "a.base_ == b.base_ && a.index_ == b.index_";
    if (sign == "!=")
      return "!(a == b)";
    return fmt::format("a.index_ {} b.index_", sign);
  }

  [[nodiscard]] std::string placement() const override {
    return "\n  /// Places `count` elements at an address, in whole tiles; returns the end.\n"
           "  std::size_t placeAt(std::size_t address, std::size_t count) {\n"
           "    base_ = reinterpret_cast<char *>(address);\n"
           "    index_ = 0;\n"
           "    return address + (count + kTile - 1) / kTile * kTileBytes;\n  }\n";
  }

  [[nodiscard]] std::string allocation() const override {
    return "  /// The first address of the allocation.\n"
           "  void *allocation() const { return base_; }\n";
  }

  [[nodiscard]] std::string room() const override {
    const std::string tiles =
        tile_ == 1 ? "kElements" : fmt::format("(kElements + {}) / {}", tile_ - 1, tile_);
    return fmt::format("  alignas({}) char bytes_[{} * {}];\n", analysis::kPlaneAlignment, tiles,
                       bound_.blockBytes());
  }
  [[nodiscard]] std::string placeInRoom() const override {
    return "    view.base_ = bytes_;\n    view.index_ = 0;\n";
  }

  [[nodiscard]] std::string filling() const override { return {}; }
  [[nodiscard]] std::string copying(const std::string &, const std::string &) const override {
    return {};
  }

  [[nodiscard]] std::string helpers() const override {
    std::string text;
    for (const PlaneCode &plane : planes_)
      text += fmt::format("  static_assert(sizeof({}) == {}, \"the planes were computed from "
                          "this size\");\n",
                          plane.type, bound_.clusterBytes(static_cast<std::uint32_t>(plane.index)));
    // A reference to a field forgets that its cluster is aligned.
    return text +
           fmt::format("  static constexpr unsigned kTile = {};\n"
                       "  static constexpr std::size_t kTileBytes = {};\n"
                       "  /// Element i of the plane that starts `start` bytes into each tile.\n"
                       "  template <class T>\n"
                       "  __host__ __device__ T &planeAt(std::size_t start, std::ptrdiff_t i) "
                       "const {{\n"
                       "    const unsigned element = unsigned(index_ + i); // divides faster\n"
                       "    T *plane = reinterpret_cast<T *>(base_ + element / kTile * kTileBytes "
                       "+ start);\n"
                       "    return *static_cast<T *>(__builtin_assume_aligned(plane + element "
                       "% kTile, alignof(T)));\n  }}\n",
                       tile_, bound_.blockBytes());
  }

private:
  const std::vector<PlaneCode> &planes_;
  std::uint64_t tile_;
  std::uint64_t padBytes_;
  const analysis::AddressFunction &bound_;
};

} // namespace

std::unique_ptr<ViewStorage> tileStorage(const std::vector<PlaneCode> &planes,
                                         const analysis::Layout &layout,
                                         const analysis::AddressFunction &bound) {
  return std::make_unique<TileStorage>(planes, layout, bound);
}

} // namespace relayout::rewriter
