// SPDX-License-Identifier: Apache-2.0
// Names that a view has for members of its own, in a generated header: where the record has a field
// of such a name, an accessor has it, and the member another.
#pragma once

#include "relayout/analysis/layout/layout.h"
#include "relayout/rewriter/header.h"

#include <map>
#include <optional>
#include <string>

namespace relayout::rewriter {

/// The name, or one that stands for it where a field has it.
[[nodiscard]] std::string nameBesideFields(const std::string &name, const RecordShape &shape);

/// The header is written with the names that views have without clashes. What comes from the record
/// is marked in it, so that the members can be renamed in the text.
class OwnNames {
public:
  OwnNames(const RecordShape &shape, const GeneratedNames &names);

  /// A field whose name is neither the accessor's nor the member's to give up.
  [[nodiscard]] std::optional<std::string> fieldInTheWay(const analysis::Layout &layout,
                                                         const HeaderParts &parts) const;

  [[nodiscard]] RecordShape marked(RecordShape shape) const;
  [[nodiscard]] HeaderParts marked(HeaderParts parts) const;

  /// Renames members, and takes the marks out.
  [[nodiscard]] std::string apart(const std::string &header) const;

private:
  [[nodiscard]] std::string marked(const std::string &text) const;

  const RecordShape &shape_;
  const GeneratedNames &names_;
  std::map<std::string, std::string> others_; ///< by the field's name, the member's
};

} // namespace relayout::rewriter
