// SPDX-License-Identifier: Apache-2.0
// Finds explicit instantiations of function templates in the text of a unit.
#include "rules/explicit_instantiations.h"

#include "legality/template_arguments.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <iterator>

namespace relayout::rewriter {
namespace {

using Words = std::vector<clang::Token>;

/// The tokens of a file without those of directives.
Words wordsOf(const Program &program, clang::FileID file) {
  const clang::SourceManager &sources = program.unit.sources();
  clang::Lexer lexer(file, sources.getBufferOrFake(file), sources,
                     program.unit.ast().getLangOpts());
  Words words;
  bool isInDirective = false;
  clang::Token word;
  for (lexer.LexFromRawLexer(word); word.isNot(clang::tok::eof); lexer.LexFromRawLexer(word)) {
    if (word.isAtStartOfLine())
      isInDirective = word.is(clang::tok::hash);
    if (!isInDirective)
      words.push_back(word);
  }
  return words;
}

class InstantiationFinder {
public:
  InstantiationFinder(const Program &program, const clang::FunctionDecl &instance)
      : program_(program), name_(instance.getNameAsString()),
        made_(program.reader.place(instance.getPointOfInstantiation())) {
    const clang::FunctionTemplateDecl &named = *instance.getPrimaryTemplate();
    const auto known = named.getDeclContext()->getRedeclContext()->lookup(named.getDeclName());
    // A list of arguments tells which instance it is where it can be of no other template.
    if (std::distance(known.begin(), known.end()) == 1)
      arguments_ = withoutBlanks(
          spelledList(instance.getTemplateSpecializationArgs()->asArray(), program.unit.ast()));
  }

  std::vector<FileRange> find(clang::FileID file) {
    words_ = wordsOf(program_, file);
    std::vector<FileRange> found;
    for (std::size_t i = 0; i + 1 < words_.size(); ++i)
      if (isInstantiation(i))
        if (const std::optional<FileRange> range = read(i))
          found.push_back(*range);
    return found;
  }

private:
  [[nodiscard]] std::string text(std::size_t i) const { return program_.reader.text(words_[i]); }

  static std::string withoutBlanks(std::string text) {
    std::erase(text, ' ');
    return text;
  }

  /// No `template <…>`, `a.template f<T>()` or `T::template A<U>`.
  [[nodiscard]] bool isInstantiation(std::size_t i) const {
    return text(i) == "template" && words_[i + 1].isNot(clang::tok::less) &&
           (i == 0 ||
            !words_[i - 1].isOneOf(clang::tok::period, clang::tok::arrow, clang::tok::coloncolon));
  }

  [[nodiscard]] std::optional<FileRange> read(std::size_t first) const {
    std::size_t last = first;
    std::optional<std::size_t> name;
    int depth = 0;
    for (; last < words_.size() && words_[last].isNot(clang::tok::semi); ++last) {
      if (words_[last].is(clang::tok::l_brace))
        return std::nullopt;
      depth += words_[last].is(clang::tok::l_paren) - words_[last].is(clang::tok::r_paren);
      if (!name && depth == 0 && text(last) == name_ && last + 1 < words_.size() &&
          words_[last + 1].isOneOf(clang::tok::less, clang::tok::l_paren))
        name = last;
    }
    if (!name || last == words_.size())
      return std::nullopt;
    if (first > 0 && text(first - 1) == "extern")
      --first;
    const std::optional<FilePlace> begin = program_.reader.place(words_[first].getLocation());
    const std::optional<FileRange> end = program_.reader.tokenRange(words_[last].getLocation());
    if (!begin || !end)
      return std::nullopt;
    const bool isHere = made_ && made_->path == begin->path && begin->offset < made_->offset &&
                        made_->offset < end->end;
    if (!isHere && !isListed(*name + 1))
      return std::nullopt;
    return FileRange{*begin, end->end};
  }

  /// Whether the template arguments that are written are the instance's first ones.
  [[nodiscard]] bool isListed(std::size_t first) const {
    std::string list;
    int depth = 0;
    for (std::size_t i = first; i < words_.size(); ++i) {
      depth += words_[i].is(clang::tok::less) - words_[i].is(clang::tok::greater) -
               2 * words_[i].is(clang::tok::greatergreater);
      if (depth <= 0)
        break;
      list += text(i);
    }
    return !list.empty() && !arguments_.empty() && arguments_.starts_with(list) &&
           (arguments_[list.size()] == '>' || arguments_[list.size()] == ',');
  }

  const Program &program_;
  std::string name_;
  std::string arguments_; ///< "<Body,3>"; empty: they do not tell
  std::optional<FilePlace> made_;
  Words words_;
};

} // namespace

bool isInstantiatedExplicitly(const clang::FunctionDecl &instance) {
  const clang::TemplateSpecializationKind kind = instance.getTemplateSpecializationKind();
  return kind == clang::TSK_ExplicitInstantiationDefinition ||
         kind == clang::TSK_ExplicitInstantiationDeclaration;
}

std::vector<FileRange> explicitInstantiationsOf(const Program &program,
                                                const clang::FunctionDecl &instance) {
  if (!instance.getPrimaryTemplate() || !isInstantiatedExplicitly(instance))
    return {};
  const clang::SourceManager &sources = program.unit.sources();
  InstantiationFinder finder(program, instance);
  std::vector<FileRange> all;
  for (unsigned i = 0, n = sources.local_sloc_entry_size(); i != n; ++i) {
    const clang::SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(i);
    if (!entry.isFile())
      continue;
    const clang::FileID file =
        sources.getFileID(clang::SourceLocation::getFromRawEncoding(entry.getOffset()));
    if (program.unit.isUserFile(file))
      std::ranges::move(finder.find(file), std::back_inserter(all));
  }
  return all;
}

} // namespace relayout::rewriter
