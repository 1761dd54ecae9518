// SPDX-License-Identifier: Apache-2.0
// Reads the directives at the start of a file.
#include "edits/leading_directives.h"

#include <clang/Lex/Lexer.h>

#include <vector>

namespace relayout::rewriter {
namespace {

unsigned lineEnd(const std::string &text, unsigned offset) {
  const std::size_t end = text.find('\n', offset);
  return static_cast<unsigned>(end == std::string::npos ? text.size() : end + 1);
}

/// Walks the directives in front of a file's first declaration.
class DirectiveReader {
public:
  explicit DirectiveReader(const std::string &text)
      : text_(text), lexer_(clang::SourceLocation(), language(), text.data(), text.data(),
                            text.data() + text.size()) {
    lexer_.LexFromRawLexer(token_);
  }

  LeadingDirectives read() {
    while (token_.is(clang::tok::hash) && token_.isAtStartOfLine())
      readDirective();
    return {end(), isOnce_ || isGuarded_};
  }

private:
  [[nodiscard]] unsigned end() const {
    if (behindInclude_ != 0)
      return behindInclude_;
    // Comments at the start stay at the start.
    return behindGuard_ != 0 || token_.is(clang::tok::eof) ? behindGuard_ : lineOf(offset());
  }

  static const clang::LangOptions &language() {
    static const clang::LangOptions kOptions = [] {
      clang::LangOptions options;
      options.CPlusPlus = options.CPlusPlus11 = true;
      return options;
    }();
    return kOptions;
  }

  [[nodiscard]] unsigned offset() const {
    return static_cast<unsigned>(lexer_.getBufferLocation() - text_.data()) - token_.getLength();
  }
  [[nodiscard]] unsigned lineOf(unsigned at) const {
    while (at > 0 && text_[at - 1] != '\n')
      --at;
    return at;
  }

  /// \returns the word behind the `#`; leaves the first token of the next line
  void readDirective() {
    std::vector<std::string> words;
    unsigned last = offset();
    lexer_.LexFromRawLexer(token_);
    while (token_.isNot(clang::tok::eof) && !token_.isAtStartOfLine()) {
      last = offset();
      if (token_.is(clang::tok::raw_identifier))
        words.push_back(token_.getRawIdentifier().str());
      lexer_.LexFromRawLexer(token_);
    }
    if (words.empty())
      return;
    const std::string &name = words.front();
    const unsigned end = lineEnd(text_, last);
    const bool defines = name == "define" && words.size() == 2 && words[1] == guard_;
    if (defines)
      isGuarded_ = true;
    const bool isOnce = name == "pragma" && words.size() == 2 && words[1] == "once";
    isOnce_ |= isOnce;
    if (defines || isOnce)
      behindGuard_ = end;
    if (name == "if" || name == "ifdef" || name == "ifndef")
      ++depth_;
    const bool closes = name == "endif" && depth_ > 0;
    if (closes)
      --depth_;
    if (closes && depth_ == 0 && isGuarded_) {
      isGuarded_ = false; // it was none: what stands behind it is read as well
      behindGuard_ = end;
    }
    guard_ = isFirst_ && name == "ifndef" && words.size() == 2 ? words[1] : std::string();
    isFirst_ = false;
    if ((name == "include" || name == "include_next") && depth_ == (isGuarded_ ? 1U : 0U))
      behindInclude_ = end;
  }

  const std::string &text_;
  clang::Lexer lexer_;
  clang::Token token_;
  std::string guard_; ///< that the directive before tests
  unsigned depth_ = 0, behindInclude_ = 0, behindGuard_ = 0;
  bool isFirst_ = true, isGuarded_ = false, isOnce_ = false;
};

} // namespace

LeadingDirectives leadingDirectives(const std::string &text) {
  return DirectiveReader(text).read();
}

} // namespace relayout::rewriter
