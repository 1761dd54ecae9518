// SPDX-License-Identifier: Apache-2.0
// Substitutes arguments as the preprocessor does, and leaves parentheses out that nothing needs.
#include "structs/macro_texts.h"

#include "structs/name_text.h"
#include "structs/split_text.h"

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

namespace relayout::instrument {
namespace {

struct Piece {
  std::string text;
  unsigned begin = 0, end = 0;
  bool isWord = false, startsLine = false;
};

std::vector<Piece> piecesOf(const std::string &text, const clang::LangOptions &language) {
  clang::Lexer lexer(clang::SourceLocation(), language, text.data(), text.data(),
                     text.data() + text.size());
  std::vector<Piece> pieces;
  clang::Token token;
  while (true) {
    lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::eof))
      return pieces;
    const auto end = static_cast<unsigned>(lexer.getBufferLocation() - text.data());
    const unsigned begin = end - token.getLength();
    pieces.push_back({text.substr(begin, end - begin), begin, end,
                      token.is(clang::tok::raw_identifier), token.isAtStartOfLine()});
  }
}

/// Whether texts would be one token, or begin a comment, side by side.
bool join(const std::string &left, const std::string &right) {
  static constexpr std::string_view kPairs = "++ -- && || << >> -> :: // /* ## .* <: <% %: :>";
  static constexpr std::string_view kBeforeEquals = "=+-*/%&|^<>!";
  const char last = left.back();
  const char first = right.front();
  if (last == ' ' || first == ' ')
    return false;
  const char both[] = {last, first, 0};
  if (kPairs.find(both) != std::string_view::npos ||
      (first == '=' && kBeforeEquals.find(last) != std::string_view::npos))
    return true;
  const bool isDigit = std::isdigit(static_cast<unsigned char>(first)) != 0;
  if (!isWordCharacter(last))
    return last == '.' && isDigit;
  const std::size_t word =
      std::ranges::find_if_not(left.rbegin(), left.rend(), isWordCharacter).base() - left.begin();
  const bool isNumber = std::isdigit(static_cast<unsigned char>(left[word])) != 0;
  return isWordCharacter(first) || first == '"' || first == '\'' ||
         (isNumber && (first == '.' || first == '+' || first == '-'));
}

/// Adds text that a macro or its parameter stands for.
void append(std::string &text, const std::string &added) {
  if (!text.empty() && !added.empty() && join(text, added))
    text += ' ';
  text += added;
}

bool isSimple(const std::string &text) {
  return !text.empty() && std::ranges::all_of(text, isWordCharacter);
}

std::string trimmed(const std::string &text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\\");
  const std::size_t last = text.find_last_not_of(" \t\r\n\\");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

/// `(p[i])` stands for an operand without its parentheses where it is one name with subscripts and
/// members.
std::string withoutOuter(const std::string &text) {
  if (!text.starts_with('(') || !text.ends_with(')'))
    return text;
  const std::string inner = text.substr(1, text.size() - 2);
  int depth = 0;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const char c = inner[i];
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    const bool isName = isWordCharacter(c);
    const bool isMember =
        c == '.' || inner.compare(i, 2, "->") == 0 || (c == '>' && i > 0 && inner[i - 1] == '-');
    if (depth < 0 || (depth == 0 && !isName && !isMember && c != ')' && c != ']') ||
        (i == 0 && !isName))
      return text;
  }
  return inner;
}

/// The macros' names, each with the uses in the program's text that are meant; empty: all.
using Uses = std::map<std::string, std::set<std::string>>;

Uses usesOf(const std::set<std::string> &macros) {
  Uses uses;
  for (const std::string &macro : macros)
    if (const std::size_t open = macro.find('('); open != std::string::npos)
      uses[trimmed(macro.substr(0, open))].insert(macro);
  for (const std::string &macro : macros)
    if (macro.find('(') == std::string::npos)
      uses[macro].clear();
  return uses;
}

struct MacroArgument {
  std::string text;       ///< as it is written: what `##` joins
  std::string writtenOut; ///< with what its own uses of macros stand for
};

class MacroWriter {
public:
  MacroWriter(ParsedUnit &unit, const Uses &uses)
      : preprocessor_(unit.preprocessor()), language_(unit.ast().getLangOpts()), uses_(uses) {
    for (const auto &[name, written] : uses)
      if (const clang::MacroInfo *macro = onlyDefinition(name))
        macros_[name] = macro;
  }

  void write(const std::string &path, SplitText &text) const {
    const std::string &file = text.textOf(path);
    const std::vector<Piece> pieces = piecesOf(file, language_);
    for (std::size_t at = 0; at < pieces.size(); ++at) {
      if (pieces[at].text == "#" && pieces[at].startsLine) { // a directive
        while (at + 1 < pieces.size() && !pieces[at + 1].startsLine)
          ++at;
        continue;
      }
      std::size_t last = at;
      auto expansion = expansionAt(file, pieces, at, last);
      if (expansion && isMeant(pieces[at].text, file.substr(pieces[at].begin,
                                                            pieces[last].end - pieces[at].begin))) {
        const std::string space = spaceBefore(file, pieces[at].begin);
        for (std::size_t line = expansion->find('\n'); line != std::string::npos;
             line = expansion->find('\n', line + 1))
          if (line + 1 < expansion->size() && (*expansion)[line + 1] != '\n')
            expansion->insert(line + 1, space);
        std::string apart = file.substr(0, pieces[at].begin);
        append(apart, *expansion);
        const std::size_t end = apart.size();
        append(apart, file.substr(pieces[last].end, 1));
        text.replace(
            path, pieces[at].begin, pieces[last].end,
            apart.substr(pieces[at].begin, end + (apart.size() > end + 1) - pieces[at].begin));
        at = last;
      }
    }
  }

private:
  [[nodiscard]] bool isMeant(const std::string &name, const std::string &use) const {
    const std::set<std::string> &written = uses_.at(name);
    return written.empty() || written.contains(use);
  }

  /// Null where the name has meant several things, or its text cannot be written out.
  const clang::MacroInfo *onlyDefinition(const std::string &name) const {
    const clang::IdentifierInfo *identifier = preprocessor_.getIdentifierInfo(name);
    const clang::MacroDirective *directive =
        preprocessor_.getLocalMacroDirectiveHistory(identifier);
    if (!directive || directive->getPrevious() || !directive->isDefined())
      return nullptr;
    const clang::MacroInfo *macro = directive->getMacroInfo();
    if (!macro || macro->isVariadic() || macro->isBuiltinMacro())
      return nullptr;
    for (const clang::Token &token : macro->tokens())
      if (token.is(clang::tok::hash))
        return nullptr;
    return macro;
  }

  /// \param last  receives the last token of the use
  std::optional<std::string> expansionAt(const std::string &text, const std::vector<Piece> &pieces,
                                         std::size_t at, std::size_t &last) const {
    const auto known = pieces[at].isWord ? macros_.find(pieces[at].text) : macros_.end();
    if (known == macros_.end())
      return std::nullopt;
    const clang::MacroInfo &macro = *known->second;
    last = at;
    std::vector<MacroArgument> arguments;
    if (macro.isFunctionLike()) {
      if (at + 1 >= pieces.size() || pieces[at + 1].text != "(")
        return std::nullopt;
      int depth = 0;
      unsigned begin = pieces[at + 1].end;
      for (last = at + 1; last < pieces.size(); ++last) {
        const std::string &piece = pieces[last].text;
        depth += piece == "(" ? 1 : piece == ")" ? -1 : 0;
        if (depth != 0 && !(depth == 1 && piece == ","))
          continue;
        const std::string own = trimmed(text.substr(begin, pieces[last].begin - begin));
        arguments.push_back({own, writtenOut(own)});
        begin = pieces[last].end;
        if (depth == 0)
          break;
      }
      if (last == pieces.size() ||
          arguments.size() != std::max<std::size_t>(macro.getNumParams(), 1))
        return std::nullopt;
    }
    // In what a macro stands for, its own name is no macro.
    const std::string name = pieces[at].text;
    const auto [around, isOutside] = around_.insert(name);
    if (!isOutside)
      return std::nullopt;
    std::string body = writtenOut(bodyOf(macro, arguments));
    around_.erase(name);
    return withoutOuter(body);
  }

  /// The text with what its own uses of these macros stand for.
  std::string writtenOut(const std::string &text) const {
    const std::vector<Piece> pieces = piecesOf(text, language_);
    std::string out;
    unsigned done = 0;
    for (std::size_t at = 0; at < pieces.size(); ++at) {
      std::size_t last = at;
      if (const auto expansion = expansionAt(text, pieces, at, last)) {
        append(out, text.substr(done, pieces[at].begin - done));
        append(out, *expansion);
        done = pieces[last].end;
        at = last;
      }
    }
    append(out, text.substr(done));
    return out;
  }

  std::string bodyOf(const clang::MacroInfo &macro,
                     const std::vector<MacroArgument> &arguments) const {
    const auto tokens = macro.tokens();
    const auto parameterAt = [&](std::size_t i) {
      return i < tokens.size() && tokens[i].getIdentifierInfo() && macro.isFunctionLike()
                 ? macro.getParameterNum(tokens[i].getIdentifierInfo())
                 : -1;
    };
    const auto joins = [&](std::size_t i) {
      return i < tokens.size() && tokens[i].is(clang::tok::hashhash);
    };
    const unsigned margin = marginOf(macro);
    std::string body;
    bool isJoined = false; // to the token before
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const clang::Token &token = tokens[i];
      if (joins(i)) {
        isJoined = true;
        continue;
      }
      const auto add = [&](const std::string &text) {
        isJoined ? void(body += text) : append(body, text);
      };
      if (!isJoined && !body.empty())
        body += spaceInFront(macro, i, margin);
      if (const int parameter = parameterAt(i); parameter >= 0) {
        const MacroArgument &argument = arguments[static_cast<std::size_t>(parameter)];
        add(isJoined || joins(i + 1) ? argument.text : argument.writtenOut);
        isJoined = false;
        continue;
      }
      // `(i)` of a simple argument, but not of a call or a cast
      const bool isParenthesized =
          token.is(clang::tok::l_paren) && i + 2 < tokens.size() &&
          tokens[i + 2].is(clang::tok::r_paren) && parameterAt(i + 1) >= 0 &&
          (i == 0 || (!tokens[i - 1].getIdentifierInfo() &&
                      !tokens[i - 1].isOneOf(clang::tok::r_paren, clang::tok::r_square)));
      if (isParenthesized) {
        const std::string &argument =
            arguments[static_cast<std::size_t>(parameterAt(i + 1))].writtenOut;
        append(body, isSimple(argument) ? argument : '(' + argument + ')');
        i += 2;
        continue;
      }
      add(preprocessor_.getSpelling(token));
      isJoined = false;
    }
    return body;
  }

  [[nodiscard]] unsigned lineOf(const clang::Token &token) const {
    return preprocessor_.getSourceManager().getSpellingLineNumber(token.getLocation());
  }
  [[nodiscard]] unsigned columnOf(const clang::Token &token) const {
    return preprocessor_.getSourceManager().getSpellingColumnNumber(token.getLocation());
  }

  /// The first column of the lines of a macro's body, but for that of its name.
  [[nodiscard]] unsigned marginOf(const clang::MacroInfo &macro) const {
    const unsigned first =
        preprocessor_.getSourceManager().getSpellingLineNumber(macro.getDefinitionLoc());
    unsigned margin = std::numeric_limits<unsigned>::max();
    for (const clang::Token &token : macro.tokens())
      if (lineOf(token) != first)
        margin = std::min(margin, columnOf(token));
    return margin;
  }

  /// What separates a token from the one before, in lines as the macro has them.
  [[nodiscard]] std::string spaceInFront(const clang::MacroInfo &macro, std::size_t i,
                                         unsigned margin) const {
    const clang::Token &token = macro.tokens()[i];
    const unsigned lines = i == 0 ? 0 : lineOf(token) - lineOf(macro.tokens()[i - 1]);
    if (lines == 0)
      return token.hasLeadingSpace() ? " " : "";
    return std::string(std::min(lines, 2U), '\n') + std::string(columnOf(token) - margin, ' ');
  }

  clang::Preprocessor &preprocessor_;
  const clang::LangOptions &language_;
  const Uses &uses_;
  std::map<std::string, const clang::MacroInfo *> macros_;
  mutable std::set<std::string> around_; ///< macros that are being written out
};

/// How often the texts define each macro, branches that this build leaves out included.
std::map<std::string, int> definitionsIn(const std::vector<ParsedUnit *> &units,
                                         const SplitText &text) {
  std::map<std::string, int> definitions;
  std::set<std::string> done;
  for (ParsedUnit *unit : units)
    for (const SourceText &file : unit->userSources().files) {
      if (!done.insert(file.originalPath).second)
        continue;
      const std::vector<Piece> pieces =
          piecesOf(text.textOf(file.originalPath), unit->ast().getLangOpts());
      for (std::size_t at = 0; at + 2 < pieces.size(); ++at)
        if (pieces[at].text == "#" && pieces[at].startsLine && pieces[at + 1].text == "define")
          ++definitions[pieces[at + 2].text];
    }
  return definitions;
}

} // namespace

std::vector<ReplacedText> writtenOutMacros(const std::vector<ParsedUnit *> &units,
                                           const std::set<std::string> &macros) {
  SplitText text(units);
  const std::map<std::string, int> definitions = definitionsIn(units, text);
  Uses single = usesOf(macros);
  std::erase_if(single, [&](const auto &macro) {
    const auto known = definitions.find(macro.first);
    return known == definitions.end() || known->second != 1;
  });
  std::set<std::string> done;
  for (ParsedUnit *unit : units) {
    const MacroWriter writer(*unit, single);
    for (const SourceText &file : unit->userSources().files)
      if (done.insert(file.originalPath).second)
        writer.write(file.originalPath, text);
  }
  return text.texts().value_or(std::vector<ReplacedText>());
}

} // namespace relayout::instrument
