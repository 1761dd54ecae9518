// SPDX-License-Identifier: Apache-2.0
// Reads characters around a name.
#include "structs/name_text.h"

#include "relayout/instrument/clang/compatibility.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/QualTypeNames.h>
#include <clang/Lex/Lexer.h>

#include <cctype>

namespace relayout::instrument {
namespace {

bool isBlank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

} // namespace

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool containsWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !isWordCharacter(text[at - 1])) &&
        (end == text.size() || !isWordCharacter(text[end])))
      return true;
  }
  return false;
}

std::string renamed(const std::string &text, const std::map<std::string, std::string> &names) {
  const clang::LangOptions plain;
  clang::Lexer lexer(clang::SourceLocation(), plain, text.data(), text.data(),
                     text.data() + text.size());
  std::string result;
  std::size_t done = 0;
  clang::Token token;
  bool isMember = false;
  for (bool isLast = false; !isLast;) {
    isLast = lexer.LexFromRawLexer(token);
    const bool isName = token.is(clang::tok::raw_identifier) && !isMember;
    isMember = token.isOneOf(clang::tok::period, clang::tok::arrow);
    const auto name = isName ? names.find(token.getRawIdentifier().str()) : names.end();
    if (name == names.end())
      continue;
    const std::size_t at = static_cast<std::size_t>(token.getRawIdentifier().data() - text.data());
    result.append(text, done, at - done);
    result += name->second;
    done = at + token.getLength();
  }
  return result.append(text, done);
}

unsigned beginOfQualifiers(const std::string &text, unsigned name) {
  const auto skipBlanks = [&text](unsigned at) {
    while (at != 0 && isBlank(text[at - 1]))
      --at;
    return at;
  };
  for (unsigned begin = name;;) {
    unsigned at = skipBlanks(begin);
    if (at < 2 || text.compare(at - 2, 2, "::") != 0)
      return begin;
    begin = at - 2;
    at = skipBlanks(begin);
    const unsigned word = at;
    while (at != 0 && isWordCharacter(text[at - 1]))
      --at;
    if (at == word)
      return begin; // `::thrust`
    begin = at;
  }
}

std::optional<unsigned> endOfArguments(const std::string &text, unsigned name) {
  std::size_t at = name;
  while (at < text.size() && isWordCharacter(text[at]))
    ++at;
  unsigned depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    depth += c == '<';
    if (c == '>' && --depth == 0)
      return static_cast<unsigned>(at + 1);
    const bool isOfNames = isWordCharacter(c) || c == ':' || c == ',' || c == '<' || c == '>';
    if (!isBlank(c) && (depth == 0 || !isOfNames))
      return std::nullopt;
  }
  return std::nullopt;
}

std::string spaceBefore(const std::string &text, unsigned offset) {
  const std::size_t begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
  return text.substr(begin, text.find_first_not_of(" \t", begin) - begin);
}

std::string outdented(const std::string &text, const std::string &indentation) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    out += at > 0 && line.starts_with(indentation) ? line.substr(indentation.size()) : line;
    at = end;
  }
  return out;
}

std::vector<std::string> spacesAround(const clang::Decl &declaration) {
  std::vector<std::string> names;
  for (const clang::DeclContext *scope = declaration.getDeclContext(); scope;
       scope = scope->getParent())
    if (const auto *space = clang::dyn_cast<clang::NamespaceDecl>(scope);
        space && !space->isAnonymousNamespace() && !space->isInline())
      names.insert(names.begin(), space->getNameAsString());
  return names;
}

std::string nameInside(const std::vector<std::string> &spaces, const std::string &name) {
  std::string whole;
  for (const std::string &space : spaces)
    whole += space + "::";
  return whole + name;
}

std::string ownNameOf(const clang::CXXRecordDecl &record) {
  if (clang::isa<clang::ClassTemplateSpecializationDecl>(record)) {
    const clang::ASTContext &context = record.getASTContext();
    const std::string name = clang::TypeName::getFullyQualifiedName(
        compatibility::canonicalTypeOf(context, &record), context, context.getPrintingPolicy());
    return name.substr(nameInside(spacesAround(record), {}).size());
  }
  const clang::TypedefNameDecl *alias = record.getTypedefNameForAnonDecl();
  return alias ? alias->getNameAsString() : record.getNameAsString();
}

} // namespace relayout::instrument
