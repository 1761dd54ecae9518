// SPDX-License-Identifier: Apache-2.0
// Finds the parts of launches among the tokens.
#include "host/launch_tokens.h"

namespace relayout::instrument {
namespace {

using Index = TokenEdits::Index;

/// The `>>>` that ends the settings, or `close`.
Index endOfSettings(const TokenEdits &edits, Index from, Index close) {
  int depth = 0;
  for (Index at = from; at < close; ++at) {
    const clang::Token &token = edits.token(at);
    if (token.isOneOf(clang::tok::l_paren, clang::tok::l_brace, clang::tok::l_square))
      ++depth;
    else if (token.isOneOf(clang::tok::r_paren, clang::tok::r_brace, clang::tok::r_square))
      --depth;
    else if (depth == 0 && token.is(clang::tok::greatergreatergreater))
      return at;
  }
  return close;
}

} // namespace

std::optional<LaunchTokens> launchTokens(const TokenEdits &edits,
                                         const clang::CUDAKernelCallExpr &call) {
  const auto first = edits.indexOf(call.getCallee()->getBeginLoc());
  const auto close = edits.indexOf(call.getRParenLoc());
  if (!first || !close)
    return std::nullopt;
  Index open = *first;
  while (open < *close && edits.token(open).isNot(clang::tok::lesslessless))
    ++open;
  const clang::Expr *lastSetting = nullptr;
  for (const clang::Expr *setting : call.getConfig()->arguments())
    if (!clang::isa<clang::CXXDefaultArgExpr>(setting))
      lastSetting = setting;
  const auto from = lastSetting ? edits.indexOf(lastSetting->getBeginLoc()) : std::nullopt;
  if (!from || open == *first || open >= *close)
    return std::nullopt;
  const Index end = endOfSettings(edits, *from, *close);
  if (end >= *close || edits.token(end + 1).isNot(clang::tok::l_paren))
    return std::nullopt;
  return LaunchTokens{*first, open, end, *close};
}

std::optional<std::pair<Index, Index>>
unparsedBodyWithLaunches(const TokenEdits &edits, const clang::FunctionDecl &function) {
  const clang::FunctionTypeLoc type = function.getFunctionTypeLoc();
  if (!function.isLateTemplateParsed() || !type || clang::isa<clang::CXXConstructorDecl>(function))
    return std::nullopt;
  std::optional<Index> at = edits.indexOf(type.getRParenLoc());
  while (at && *at < edits.size() &&
         !edits.token(*at).isOneOf(clang::tok::l_brace, clang::tok::semi))
    ++*at;
  if (!at)
    return std::nullopt;
  const Index open = *at;
  bool launches = false;
  for (int depth = 0; *at < edits.size(); ++*at) {
    const clang::Token &token = edits.token(*at);
    launches |= token.is(clang::tok::lesslessless);
    depth += token.is(clang::tok::l_brace) ? 1 : token.is(clang::tok::r_brace) ? -1 : 0;
    if (depth == 0)
      return launches ? std::optional(std::pair(open + 1, *at - 1)) : std::nullopt;
  }
  return std::nullopt;
}

} // namespace relayout::instrument
