// SPDX-License-Identifier: Apache-2.0
// Views of layouts whose planes span the whole array: one pointer a cluster.
#pragma once

#include "header/view_storage.h"

#include <cstdint>
#include <string>
#include <vector>

namespace relayout::rewriter {

class PointerStorage : public ViewStorage {
public:
  PointerStorage(const std::vector<PlaneCode> &planes, const analysis::Layout &layout,
                 bool mayMove);

  [[nodiscard]] bool scattersRanges() const override { return false; }
  [[nodiscard]] std::string description() const override;
  [[nodiscard]] std::string at(const PlaneCode &plane, const std::string &k,
                               bool hinted) const override;
  [[nodiscard]] std::string readOnlyAt(const PlaneCode &plane, const std::string &k) const override;
  [[nodiscard]] bool allowsConstexpr() const override;
  [[nodiscard]] std::string members() const override;
  [[nodiscard]] std::vector<std::string> nulls() const override;
  [[nodiscard]] std::string tooMany() const override;
  [[nodiscard]] std::string advance() const override;
  [[nodiscard]] std::string test() const override;
  [[nodiscard]] std::string difference() const override;
  [[nodiscard]] std::string comparison(const std::string &sign) const override;
  [[nodiscard]] std::string placement() const override;
  [[nodiscard]] std::string allocation() const override;
  [[nodiscard]] std::string room() const override;
  [[nodiscard]] std::string placeInRoom() const override;
  [[nodiscard]] std::string filling() const override;
  [[nodiscard]] std::string copying(const std::string &constView,
                                    const std::string &kind) const override;
  [[nodiscard]] std::string ranges() const override;
  [[nodiscard]] std::string helpers() const override;

protected:
  /// Of the functions that allocations call, behind their own: ", T name".
  [[nodiscard]] virtual std::string parameters() const { return {}; }
  /// Where element i is in its planes. Bare fields are found faster by an unsigned number, structs
  /// are not (docs/rewriting.md).
  [[nodiscard]] virtual std::string place(const PlaneCode &plane) const {
    return mayMove_ || plane.isStruct || plane.exploded ? "i" : "unsigned(i)";
  }
  /// A statement that makes `count` elements places of planes, or none.
  [[nodiscard]] virtual std::string countPlaces() const { return {}; }
  /// Statements that set what the view holds beside its planes, of `count` places.
  [[nodiscard]] virtual std::string finish() const { return {}; }

  [[nodiscard]] std::string first() const;
  /// One plane of bare elements.
  [[nodiscard]] bool isPlain() const {
    return planes_.size() == 1 && !planes_.front().isStruct && !planes_.front().exploded;
  }

private:
  const std::vector<PlaneCode> &planes_;
  std::uint64_t padBytes_;
  bool mayMove_;            ///< else subscripts are numbers of elements, none of them negative
  std::uint32_t alignment_; ///< of the start of every plane
};

} // namespace relayout::rewriter
