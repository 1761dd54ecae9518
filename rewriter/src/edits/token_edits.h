// SPDX-License-Identifier: Apache-2.0
// Edits of single tokens and around expressions, gathered for one step of a rule.
#pragma once

#include "edits/edit_set.h"

#include <clang/AST/Expr.h>

#include <optional>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// Gathers edits until one has no place in a file, as in the body of a macro. That place is kept,
/// and the gathered edits are worth nothing then.
class TokenEdits {
public:
  explicit TokenEdits(const SourceReader &reader) : reader_(&reader) {}

  void replace(clang::SourceLocation token, const std::string &expected, const std::string &text);
  void insertBefore(const clang::Expr &expression, const std::string &text);
  void insertAfter(const clang::Expr &expression, const std::string &text);
  void replaceBrackets(const clang::ArraySubscriptExpr &subscript, std::string open,
                       std::string close);
  /// The brackets with all that is between them.
  void replaceSubscript(const clang::ArraySubscriptExpr &subscript, const std::string &text);
  /// Drops the `*` of a dereference with the spaces behind it.
  void dropStar(const clang::UnaryOperator &dereference);
  void dropParens(const clang::ParenExpr &parens);
  void add(Edit edit) { edits_.push_back(std::move(edit)); }
  void fail(clang::SourceLocation where);

  [[nodiscard]] const SourceReader &reader() const { return *reader_; }
  [[nodiscard]] bool failed() const { return failedAt_.has_value(); }
  /// The first place that could not be edited.
  [[nodiscard]] const std::optional<clang::SourceLocation> &failedAt() const { return failedAt_; }
  [[nodiscard]] std::vector<Edit> take() { return std::move(edits_); }

private:
  const SourceReader *reader_;
  std::vector<Edit> edits_;
  std::optional<clang::SourceLocation> failedAt_;
};

} // namespace relayout::rewriter
