// SPDX-License-Identifier: Apache-2.0
// Tells the instantiations of a template apart where they run: they share one text.
#include "probes/instance_types.h"

#include <clang/AST/Mangle.h>

#include <llvm/Support/raw_ostream.h>

#include <fmt/format.h>

#include <memory>
#include <string_view>

namespace relayout::instrument {

std::string runtimeNameOf(clang::ASTContext &ast, clang::QualType type) {
  constexpr std::string_view kSymbolOfName = "_ZTS";
  const std::unique_ptr<clang::ItaniumMangleContext> context(
      clang::ItaniumMangleContext::create(ast, ast.getDiagnostics()));
  std::string symbol;
  llvm::raw_string_ostream out(symbol);
  context->mangleCXXRTTIName(type.getCanonicalType().getUnqualifiedType(), out);
  return symbol.substr(kSymbolOfName.size());
}

std::string hasType(const clang::ASTContext &ast, const std::string &expression,
                    const std::string &runtimeName) {
  if (!ast.getLangOpts().RTTI)
    return "false";
  return fmt::format("__builtin_strcmp(typeid(decltype({})).name(), \"{}\") == 0", expression,
                     runtimeName);
}

} // namespace relayout::instrument
