// SPDX-License-Identifier: Apache-2.0
// Reads the text of a function's instance, and names it.
#include "rules/function_text.h"

#include "rules/copy_names.h"

#include <clang/AST/DeclTemplate.h>

#include <fmt/format.h>

namespace relayout::rewriter {

std::string openedNamespaces(const std::string &namespaces) {
  std::string text;
  for (std::size_t begin = 0, end = 0; (end = namespaces.find("::", begin)) != std::string::npos;
       begin = end + 2)
    text += fmt::format("namespace {} {{\n", namespaces.substr(begin, end - begin));
  return text;
}

std::string closedNamespaces(const std::string &namespaces) {
  std::string text;
  for (std::size_t end = 0; (end = namespaces.find("::", end)) != std::string::npos; end += 2)
    text += "\n}";
  return text;
}

bool mayBeDefinedAgain(const clang::FunctionDecl &definition) {
  return definition.getStorageClass() == clang::SC_Static || definition.isInlineSpecified() ||
         definition.isConstexpr();
}

std::optional<FileRange> FunctionText::functionText() {
  const auto &function = clang::cast<clang::FunctionDecl>(instance_);
  const std::optional<FileRange> range = rangeTo(pattern_.getEndLoc());
  if (!range)
    refuse("is spelled by a macro", "write the template out");
  else if (!dropDiscarded())
    refuse("has an `if constexpr` that is spelled by a macro", "write the template out");
  else if (const std::string obstacle =
               nameParameters(function.getTemplateSpecializationArgs()->asArray());
           !obstacle.empty())
    refuse(obstacle, "write the types out");
  else
    return range;
  return std::nullopt;
}

std::optional<std::string> FunctionText::functionName() {
  const auto &function = clang::cast<clang::FunctionDecl>(instance_);
  if (!needsOwnName(program_, function))
    return pattern_.getNameAsString();
  std::optional<std::string> own = ownNameOf(program_, function);
  if (own && giveName(*own))
    return own;
  refuse("needs a name of its own, which is taken or in a macro",
         "rename it, or write the instance out");
  return std::nullopt;
}

bool FunctionText::leaveOutSaidBefore(const FileRange &range) {
  const auto &function = clang::cast<clang::FunctionDecl>(pattern_);
  const std::size_t word = function.getStorageClass() == clang::SC_Static
                               ? reader_.text(range).find("static ")
                               : std::string::npos;
  bool isWhole = word == std::string::npos ||
                 erase({{range.begin.path, range.begin.offset + static_cast<unsigned>(word)},
                        range.begin.offset + static_cast<unsigned>(word + 7)});
  for (const clang::ParmVarDecl *parameter : function.parameters()) {
    if (!parameter->hasDefaultArg())
      continue;
    const std::optional<FileRange> declared = reader_.tokenRange(parameter->getLocation());
    const std::optional<FileRange> given =
        reader_.tokenRange(parameter->getDefaultArgRange().getEnd());
    isWhole &= !parameter->getName().empty() && declared && given &&
               declared->begin.path == given->begin.path &&
               erase({{declared->begin.path, declared->end}, given->end});
  }
  return isWhole;
}

bool FunctionText::giveName(const std::string &name) {
  const std::optional<FileRange> written = reader_.tokenRange(pattern_.getLocation());
  if (!written)
    return false;
  // What the function returns has its edits at the name.
  edits_.set({written->begin.path, written->end}, {{*written, name}});
  return true;
}

} // namespace relayout::rewriter
