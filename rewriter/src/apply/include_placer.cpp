// SPDX-License-Identifier: Apache-2.0
// Where the generated headers of a record are included.
#include "apply/include_placer.h"

#include "legality/nested_records.h"
#include "legality/template_arguments.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

namespace relayout::rewriter {
namespace {

namespace fs = std::filesystem;
using clang::cast;
using clang::dyn_cast;
using clang::isa;

constexpr const char *kForC = "extern \"C\"";

class IncludePlacer {
public:
  IncludePlacer(Program &program, const Target &target, const std::vector<std::string> &headers,
                HeaderFolders &folders)
      : reader_(program.reader), target_(target), before_(definedBeforeHeader(*target.record)),
        headers_(headers), definitions_(program.definitions), findings_(program.findings),
        edits_(program.edits), folders_(folders) {}

  /// The place of the includes, or nothing after a refusal.
  std::optional<CodePlace> place() {
    if (const clang::CXXRecordDecl *outermost = outermostClass(*target_.record))
      return moveBefore(*outermost);
    const clang::SourceLocation brace = before_.getBraceRange().getEnd();
    std::optional<clang::Token> token;
    if (brace.isFileID() && reader_.spelled(brace))
      token = reader_.tokenAfter(brace);
    while (token && reader_.text(*token) != ";")
      token = reader_.tokenAfter(token->getLocation());
    std::vector<std::string> scopes = openScopes();
    if (token) // where a namespace ends anyway, the include follows its brace
      for (std::optional<clang::Token> next = reader_.tokenAfter(token->getLocation());
           next && reader_.text(*next) == "}" && !scopes.empty();
           next = reader_.tokenAfter(token->getLocation())) {
        token = next;
        scopes.pop_back();
      }
    const std::optional<FileRange> end =
        token ? reader_.tokenRange(token->getLocation()) : std::nullopt;
    if (!end) {
      findings_.refuse(Code::UsedBeforeDefinition,
                       fmt::format("'{}' is defined inside a macro", target_.shape.name),
                       target_.record->getLocation(), "write the definition out");
      return std::nullopt;
    }
    const std::string &file = reader_.fileText(end->begin.path);
    unsigned offset = end->end;
    std::string text = directive(scopes, end->begin.path.text());
    if (const std::size_t line = file.find('\n', offset);
        line != std::string::npos && isBlankOrComment(file.substr(offset, line - offset)))
      offset = static_cast<unsigned>(line) + 1;
    else
      text = "\n" + text;
    (void)edits_.add({end->begin.path, end->begin.offset},
                     {{{{end->begin.path, offset}, offset}, text, {0, 0}}});
    return CodePlace{{end->begin.path, offset}, namespacesOf(scopes), scopes};
  }

private:
  /// A record inside a class moves in front of that class, with the includes behind it.
  std::optional<CodePlace> moveBefore(const clang::CXXRecordDecl &outermost) {
    const clang::CXXRecordDecl &record = *target_.record;
    const std::optional<FilePlace> begin = reader_.place(record.getBeginLoc());
    const std::optional<clang::SourceLocation> brace =
        reader_.spelled(record.getBraceRange().getEnd());
    const std::optional<clang::Token> semicolon = brace ? reader_.tokenAfter(*brace) : std::nullopt;
    const std::optional<FileRange> end = semicolon && reader_.text(*semicolon) == ";"
                                             ? reader_.tokenRange(semicolon->getLocation())
                                             : std::nullopt;
    const std::optional<FilePlace> around = reader_.place(outermost.getBeginLoc());
    const std::optional<FilePlace> to = around ? reader_.lineOf(*around) : std::nullopt;
    if (!begin || !end || !to || end->begin.path != begin->path || to->path != begin->path ||
        !rename({*begin, end->end})) {
      refuse("its definition is not spelled in a way that can be moved out of the class");
      return std::nullopt;
    }
    if (hasDirectives(reader_.text({*to, begin->offset}))) {
      refuse(
          "directives of the preprocessor stand between it and the start of the class around it");
      return std::nullopt;
    }
    const std::string includes = directive(openScopes(), to->path.text());
    if (!edits_.move({*begin, end->end}, *to, "\n" + includes + "\n",
                     fmt::format("using {} = {};", record.getNameAsString(), target_.shape.name))) {
      refuse("a class around it moves as well");
      return std::nullopt;
    }
    dropKeywords();
    return CodePlace{*to, namespacesOf(openScopes()), openScopes()};
  }

  /// `struct Grid::Cell` becomes `Grid::Cell`, which is an alias.
  void dropKeywords() {
    for (const clang::SourceLocation keyword : keywordsOf(*target_.record))
      if (const std::optional<FileRange> word = reader_.tokenRange(keyword))
        (void)edits_.add(word->begin, {{withSpaceBehind(*word, reader_), ""}});
  }

  void refuse(const std::string &why) {
    findings_.refuse(
        Code::NotPlainData,
        fmt::format("'{}' is not rewritten: {}", target_.record->getQualifiedNameAsString(), why),
        target_.record->getLocation(), "define it at namespace scope");
  }

  static bool hasDirectives(const std::string &text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (const std::size_t first = line.find_first_not_of(" \t");
          first != std::string::npos && line[first] == '#')
        return true;
    return false;
  }

  /// The record's own name inside its definition.
  bool rename(const FileRange &range) {
    const std::string name = target_.record->getNameAsString();
    std::optional<clang::Token> before;
    std::optional<clang::Token> token =
        reader_.tokenAt(*reader_.spelled(target_.record->getBeginLoc()));
    std::vector<Edit> renamed;
    while (token) {
      const std::optional<FilePlace> place = reader_.place(token->getLocation());
      if (!place || place->path != range.begin.path || place->offset >= range.end)
        break;
      if (reader_.text(*token) == name) {
        if (before &&
            (before->isOneOf(clang::tok::period, clang::tok::arrow, clang::tok::coloncolon)))
          return false;
        renamed.push_back({*reader_.tokenRange(token->getLocation()), target_.shape.name, {0, 0}});
      }
      before = token;
      token = reader_.tokenAfter(token->getLocation());
    }
    for (const Edit &edit : renamed)
      (void)edits_.add(edit.range.begin, {edit});
    return true;
  }

  static bool isBlankOrComment(const std::string &rest) {
    const std::size_t first = rest.find_first_not_of(" \t\r");
    return first == std::string::npos || rest.compare(first, 2, "//") == 0 ||
           (rest.compare(first, 2, "/*") == 0 && rest.find("*/") != std::string::npos &&
            rest.find_first_not_of(" \t\r", rest.find("*/") + 2) == std::string::npos);
  }

  /// The namespaces and `extern "C"` around the record as they are written, outermost first.
  std::vector<std::string> openScopes() const {
    std::vector<std::string> scopes;
    std::vector<const clang::DeclContext *> around;
    for (const clang::DeclContext *scope = before_.getDeclContext(); scope;
         scope = scope->getParent())
      if (isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(scope))
        around.insert(around.begin(), scope);
    for (const clang::DeclContext *scope : around) {
      const auto *space = dyn_cast<clang::NamespaceDecl>(scope);
      if (!space && isOfAnotherFile(*cast<clang::LinkageSpecDecl>(scope)))
        continue;
      if (!space)
        scopes.emplace_back(cast<clang::LinkageSpecDecl>(scope)->getLanguage() ==
                                    clang::LinkageSpecLanguageIDs::C
                                ? kForC
                                : "extern \"C++\"");
      else if (space->isNested() && !scopes.empty())
        scopes.back() += "::" + space->getNameAsString();
      else
        scopes.push_back((space->isInline() ? "inline namespace " : "namespace ") +
                         space->getNameAsString());
    }
    return scopes;
  }

  /// The file includes the record's between its braces, which that one cannot close.
  bool isOfAnotherFile(const clang::LinkageSpecDecl &linkage) const {
    return !target_.record->getASTContext().getSourceManager().isWrittenInSameFile(
        linkage.getExternLoc(), before_.getLocation());
  }

  std::string directive(const std::vector<std::string> &scopes, const std::string &file) const {
    const fs::path here = fs::path(file).parent_path();
    std::string text;
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
      const std::string label =
          scope->ends_with(' ') ? scope->substr(0, scope->size() - 1) : *scope;
      text += fmt::format("}} // {}\n", label);
    }
    // Units in C read the record as well.
    const bool isInLinkage = definitions_.filesInBracesOfC.contains(file);
    const bool isForC = isInLinkage || std::ranges::find(scopes, kForC) != scopes.end() ||
                        definitions_.filesForC.contains(file);
    if (isForC)
      text.insert(0, "#ifdef __cplusplus\n");
    if (isInLinkage)
      text += "extern \"C++\" {\n";
    for (const std::string &header : headers_) {
      const std::string &folder = folders_.try_emplace(header, here.string()).first->second;
      text += fmt::format("#include \"{}\"\n",
                          (fs::path(folder) / header).lexically_relative(here).string());
    }
    if (isInLinkage)
      text += "} // extern \"C++\"\n";
    for (const std::string &scope : scopes)
      text += scope + (scope.ends_with(' ') ? "{\n" : " {\n");
    if (isForC)
      text += "#endif\n";
    return text;
  }

  const SourceReader &reader_;
  const Target &target_;
  const clang::CXXRecordDecl &before_; ///< the definition that the includes follow
  const std::vector<std::string> &headers_;
  const Definitions &definitions_;
  Findings &findings_;
  EditSet &edits_;
  HeaderFolders &folders_;
};

} // namespace

void placeIncludes(Program &program, const std::vector<const Target *> &targets,
                   const std::vector<std::string> &headers, HeaderFolders &folders) {
  if (const std::optional<CodePlace> place =
          IncludePlacer(program, *targets.front(), headers, folders).place())
    for (const Target *target : targets)
      program.includes[target->record] = *place;
}

} // namespace relayout::rewriter
