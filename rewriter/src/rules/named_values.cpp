// SPDX-License-Identifier: Apache-2.0
// Writes stores with a variable for the value.
#include "rules/named_values.h"

#include "edits/words.h"
#include "legality/empty_destructors.h"
#include "rules/call_statements.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;

namespace {

/// Whether all temporaries of an expression may be destroyed before the store, as a lock may not.
bool mayEndEarly(const Program &program, const clang::Stmt &expression) {
  if (const auto *temporary = dyn_cast<clang::CXXBindTemporaryExpr>(&expression);
      temporary && !destroysNothing(program, temporary->getType()))
    return false;
  if (const auto *given = dyn_cast<clang::CXXDefaultArgExpr>(&expression))
    return mayEndEarly(program, *given->getExpr());
  return std::ranges::all_of(expression.children(), [&](const clang::Stmt *child) {
    return !child || mayEndEarly(program, *child);
  });
}

/// Whether a variable that is initialised with the value is what the assignment would have read.
bool isValueOfVariable(const Climb &climb, const ElementText &place, const clang::Expr &value) {
  const clang::Expr *bare = value.IgnoreParens();
  if (const auto *conversion = dyn_cast<clang::CastExpr>(bare);
      conversion && (conversion->getCastKind() == clang::CK_DerivedToBase ||
                     conversion->getCastKind() == clang::CK_UncheckedDerivedToBase))
    return false;
  // An object is read when it is assigned, which is after the element is named.
  const bool isTemporary = bare->IgnoreImplicit()->isPRValue();
  return (isTemporary || !place.hasEffects) && mayEndEarly(climb.program, value);
}

} // namespace

std::optional<TokenEdits> storeOfNamedValue(const Climb &climb, const Element &element,
                                            const clang::CXXOperatorCallExpr &store) {
  const clang::Expr &value = *store.getArg(1);
  const std::optional<ElementText> place = elementText(climb, element, nullptr);
  const std::optional<CallStatement> statement = callStatement(climb, store, *element.whole);
  const std::optional<FileRange> right = climb.reader.range(value.getSourceRange());
  if (!place || !statement || !right || !isValueOfVariable(climb, *place, value))
    return std::nullopt;
  const FileRange &whole = statement->range;
  const std::string &file = climb.reader.fileText(whole.begin.path);
  if (!(place->range.begin == whole.begin) || right->begin.path != whole.begin.path ||
      file.find_first_not_of(" \t\r\n", right->end) != whole.end - 1)
    return std::nullopt;
  const std::string name = freeName(file, "value");
  const std::string &line = statement->line;
  const std::string type = spelledFor(climb.target, climb.target.shape.name, climb.function);
  TokenEdits edits = climb.edits();
  edits.add({{whole.begin, right->begin.offset}, {}});
  edits.add({{{right->begin.path, right->end}, whole.end}, {}});
  editBlock(edits, *statement, fmt::format("{}const {} {} = ", line, type, name),
            fmt::format(";{}{}.{}({}, {});", line, place->view, climb.target.names.store,
                        place->index.empty() ? "0" : place->index, name));
  return edits;
}

} // namespace relayout::rewriter
