// SPDX-License-Identifier: Apache-2.0
// Compares the functions that would have one name, and exchanges the words of the text.
#include "apply/overload_names.h"

#include "edits/words.h"
#include "rules/alike_overloads.h"

#include <clang/AST/Decl.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace relayout::rewriter {

using clang::dyn_cast;

OverloadNames overloadNames(const std::vector<instrument::SharedHolder> &functions) {
  constexpr std::string_view kCall = "()";
  OverloadNames names;
  for (const instrument::SharedHolder &function : functions)
    for (const std::string &copy : function.overloads)
      names.emplace(copy, function.name.substr(0, function.name.size() - kCall.size()));
  return names;
}

void keepDistinct(const Units &units, OverloadNames &names) {
  std::set<std::string> alike;
  for (const auto &unit : units) {
    using Place = std::pair<const clang::DeclContext *, std::string>;
    std::map<Place, std::vector<const clang::FunctionDecl *>> functions;
    std::set<const clang::FunctionDecl *> known;
    for (const clang::DeclaratorDecl *declarator : unit->program.index.declarators()) {
      const auto *function = dyn_cast<clang::FunctionDecl>(declarator);
      if (!function || !function->getDeclName().isIdentifier() ||
          !known.insert(function->getCanonicalDecl()).second)
        continue;
      const auto renamed = names.find(function->getName().str());
      const std::string name = renamed == names.end() ? function->getName().str() : renamed->second;
      auto &others =
          functions[{function->getDeclContext()->getRedeclContext()->getPrimaryContext(), name}];
      for (const clang::FunctionDecl *other : others)
        if (takeTheSame(unit->program, *other, *function) &&
            other->getName() != function->getName())
          alike.insert(name);
      others.push_back(function);
    }
  }
  std::erase_if(names, [&](const auto &entry) { return alike.contains(entry.second); });
}

namespace {

std::string renamed(const std::string &text, const OverloadNames &names) {
  return withWords(text, [&](const std::string &word) {
    const auto name = names.find(word);
    return name == names.end() ? word : name->second;
  });
}

} // namespace

void nameOverloads(const OverloadNames &names, instrument::SourceSet &sources) {
  OverloadNames free = names;
  for (const instrument::SourceText &file : sources.files)
    for (const std::string &word : wordsIn(file.original))
      free.erase(word);
  if (!free.empty())
    for (instrument::SourceText &file : sources.files)
      file.text = renamed(file.text, free);
}

void nameOverloads(const OverloadNames &names, std::vector<Diagnostic> &findings) {
  if (!names.empty())
    for (Diagnostic &finding : findings) {
      finding.text = renamed(finding.text, names);
      for (Note &note : finding.notes)
        note.text = renamed(note.text, names);
    }
}

} // namespace relayout::rewriter
