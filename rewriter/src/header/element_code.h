// SPDX-License-Identifier: Apache-2.0
// Functions of views that read and write whole elements, as text of the generated header.
#pragma once

#include "header/view_storage.h"

#include <string>
#include <vector>

namespace relayout::rewriter {

struct ElementCode {
  const RecordShape &shape;
  const std::string &stem; ///< what the names of types start with
  const std::vector<PlaneCode> &planes;
  const ViewStorage &storage;

  /// Whether one statement initialises a record from what its planes hold.
  [[nodiscard]] bool isBraced() const;
  /// \param isConst  returns a const element, so that an overloaded method of it means the same as
  ///                 on an element of a const array
  [[nodiscard]] std::string load(bool isConst) const;
  /// \param returnsValue  for `a[i] = b[i] = value`
  [[nodiscard]] std::string store(bool returnsValue) const;
  /// A function that makes a struct of the same members, all public, of an element.
  [[nodiscard]] std::string membersOf() const;
};

} // namespace relayout::rewriter
