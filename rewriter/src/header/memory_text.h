// SPDX-License-Identifier: Apache-2.0
// What the functions that stand for CUDA's memory calls share with the kernels behind them: the
// names of the generated header, and which of them the program needs.
#pragma once

#include "header/view_storage.h"
#include "relayout/rewriter/header.h"

#include <string>

namespace relayout::rewriter {

struct MemoryText {
  const RecordShape &shape;
  const GeneratedNames &names;
  const ViewStorage &storage;
  const HeaderParts &parts;
  const ViewOperations &operations; ///< needsOf(parts, storage.scattersRanges())

  [[nodiscard]] bool needs(ViewOperation operation) const {
    return operations.count(operation) != 0;
  }
  /// Whether the program allocates arrays, and not only declares them.
  [[nodiscard]] bool allocates() const;
  /// Copies and sets within the device are CUDA's own where no kernel moves elements.
  [[nodiscard]] bool usesKernels() const {
    return storage.scattersRanges() || parts.insideElements;
  }
  /// Whole records are assigned: those with padding are copied field by field.
  [[nodiscard]] bool packsByField() const {
    return !shape.isScalar && (!shape.isAssigned || shape.hasPadding);
  }
  /// Where the view has another order of elements, and a tile of records fits in shared memory.
  [[nodiscard]] bool copiesInTiles() const;
  /// The text with the header's names in place of @lower@, @view@, @const@, @array@, @record@;
  /// @async@,
  /// @stream@ and @streamParameter@ are empty in the functions that take no stream.
  [[nodiscard]] std::string filled(std::string text, bool async) const;

  /// The lines that open the part of a kernel that each of `count` elements has.
  static const std::string kEach;
};

} // namespace relayout::rewriter
