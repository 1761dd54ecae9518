// SPDX-License-Identifier: Apache-2.0
// Edits the tokens of a declared type.
#include "rules/declared_type.h"

#include "legality/nested_records.h"
#include "relayout/instrument/clang/pointer_containers.h"
#include "relayout/instrument/clang/shared_arrays.h"
#include "rules/declaration_checks.h"
#include "rules/recursive_functions.h"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

namespace relayout::rewriter {
namespace {

bool isRestrict(const std::string &word) {
  return word == "__restrict__" || word == "__restrict" || word == "restrict";
}

bool isSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

class TypeEditor {
public:
  TypeEditor(const Program &program, const clang::DeclaratorDecl &declarator, const Target &target)
      : program_(program), reader_(program.reader), declarator_(declarator), target_(target),
        edits_(program.reader) {}

  TypeEdits edit(WrittenType written, clang::QualType held) {
    if (instrument::isArrayVariable(declarator_))
      return editArray(written);
    if (refersToPointer(written))
      written.sign = {};
    if ((edits_.refusal = refusalOfSpelling(written)))
      return std::move(edits_);
    const std::optional<clang::SourceLocation> base = reader_.spelled(written.base);
    if (!base) {
      edits_.own.fail(written.base);
      return std::move(edits_);
    }
    const bool isConst = pointeeOf(held).isConstQualified();
    isReference_ = written.sign.isValid() && written.brackets.isInvalid() &&
                   written.parens.isInvalid() && !written.isAuto &&
                   isTakenByReference(program_, declarator_, target_);
    edits_.base = rangeOfName(written, *base);
    std::string name = viewName(written, isConst);
    if (topConst(written) || isReference_) // `sim::` stays in front of the name
      name = edits_.base && isBehindScope(*edits_.base) ? name + " const" : "const " + name;
    if (written.brackets.isValid())
      erase(written.brackets);
    if (written.parens.isValid())
      erase(written.parens.getEnd());
    if (isConst && (written.sign.isValid() || written.brackets.isValid()))
      erasePointeeConst(written, *base);
    if (written.keyword.isValid())
      eraseWord(written.keyword);
    eraseIdleRestrict(*base);
    if (!edits_.base)
      edits_.own.fail(*base);
    else if (reader_.text(*edits_.base) != name)
      edits_.shared.add({*edits_.base, name});
    return std::move(edits_);
  }

private:
  /// `Particle particles[N] = {};` becomes `ParticleArray<N> particles;`.
  TypeEdits editArray(const WrittenType &written) {
    if ((edits_.refusal = refusalOfSpelling(written)))
      return std::move(edits_);
    const std::optional<clang::SourceLocation> base = reader_.spelled(written.base);
    const std::optional<FileRange> brackets =
        written.brackets.isValid() ? reader_.range(written.brackets) : std::nullopt;
    const std::optional<FileRange> behind =
        brackets ? reader_.range({written.brackets.getBegin(), declarator_.getEndLoc()})
                 : std::nullopt;
    edits_.base = base && behind ? rangeOfName(written, *base) : std::nullopt;
    if (!edits_.base) {
      edits_.own.fail(written.base);
      return std::move(edits_);
    }
    edits_.own.add({*behind, ""});
    if (written.keyword.isValid())
      eraseWord(written.keyword);
    edits_.shared.add({*edits_.base, fmt::format("{}<{}>", nameOf(written, target_.names.array),
                                                 extentIn(reader_.text(*brackets)))});
    return std::move(edits_);
  }

  /// What stands between brackets, as an argument of a template.
  static std::string extentIn(const std::string &brackets) {
    std::string extent = brackets.substr(1, brackets.size() - 2);
    while (!extent.empty() && isSpace(extent.front()))
      extent.erase(0, 1);
    while (!extent.empty() && isSpace(extent.back()))
      extent.pop_back();
    return extent.find_first_of("<>,") == std::string::npos ? extent : '(' + extent + ')';
  }

  /// `auto &p`, `Records &p` of a pointer type: the sign stays, for a reference to a view. So does
  /// that of `auto &all`, a container of views.
  [[nodiscard]] bool refersToPointer(const WrittenType &written) const {
    const std::optional<FileRange> sign =
        written.sign.isValid() ? reader_.tokenRange(written.sign) : std::nullopt;
    const clang::QualType type = declaredType();
    return sign && type->isReferenceType() &&
           (type.getNonReferenceType()->isPointerType() || instrument::isPointerContainer(type)) &&
           reader_.text(*sign).starts_with("&");
  }

  /// Where the record's own scope has the alias, the view is visible wherever the alias is.
  [[nodiscard]] bool isAliasFromElsewhere(const WrittenType &written) const {
    return written.alias &&
           written.alias->getDeclContext()->getRedeclContext()->getPrimaryContext() !=
               target_.record->getDeclContext()
                   ->getEnclosingNamespaceContext()
                   ->getPrimaryContext();
  }

  [[nodiscard]] bool isInstantiated() const {
    for (const clang::DeclContext *scope = scopeOf(program_, declarator_); scope;
         scope = scope->getParent())
      if (const auto *function = clang::dyn_cast<clang::FunctionDecl>(scope);
          (function && function->isTemplateInstantiation()) ||
          clang::isa<clang::ClassTemplateSpecializationDecl>(scope))
        return true;
    return false;
  }

  /// Of a function, what it returns.
  [[nodiscard]] clang::QualType declaredType() const {
    const auto *function = clang::dyn_cast<clang::FunctionDecl>(&declarator_);
    return function ? function->getReturnType() : declarator_.getType();
  }

  [[nodiscard]] std::optional<Refusal> refusalOfSpelling(const WrittenType &written) const {
    std::string problem = written.problem;
    if (written.isOfTemplate && !isWrittenOut(program_, declarator_))
      problem = "gets its type from a template parameter";
    // In an instance an alias may depend on its arguments.
    if (problem.empty() && !written.isOfTemplate && written.isQualified &&
        isAliasFromElsewhere(written) &&
        (written.qualifier.isInvalid() || (isInstantiated() && !written.isOfPlainClass)))
      problem = "names its type by an alias from another scope";
    if (problem.empty() && written.container.isInvalid() && !written.isAuto &&
        instrument::isPointerContainer(declaredType()))
      problem = "is a container of pointers whose type is not written out";
    if (problem.empty())
      return std::nullopt;
    return Refusal{
        problem.find("template") != std::string::npos ? Code::TemplateDecidesType
                                                      : Code::DeclarationFixed,
        fmt::format("'{}' {}", declarator_.getNameAsString(), problem), declarator_.getLocation(),
        fmt::format("write its type {}'{} *'",
                    instrument::isPointerContainer(declaredType()) ? "out, as a container of "
                                                                   : "as ",
                    target_.shape.name)};
  }

  [[nodiscard]] std::optional<FileRange> rangeOfName(const WrittenType &written,
                                                     clang::SourceLocation base) const {
    const std::optional<FileRange> last = reader_.tokenRange(base);
    const clang::SourceLocation begin =
        isQualifiedByClass(written) || (written.isQualified && isAliasFromElsewhere(written))
            ? written.qualifier
            : written.templateName;
    if (begin.isInvalid() || !last)
      return last;
    const std::optional<FileRange> first = reader_.tokenRange(begin);
    if (!first || first->begin.path != last->begin.path)
      return std::nullopt;
    return FileRange{first->begin, last->end};
  }

  [[nodiscard]] bool isBehindScope(const FileRange &name) const {
    const std::string_view before =
        std::string_view(reader_.fileText(name.begin.path)).substr(0, name.begin.offset);
    return before.substr(0, before.find_last_not_of(" \t\r\n") + 1).ends_with("::");
  }

  /// `Grid::Cell`, whose view is no member of Grid.
  [[nodiscard]] bool isQualifiedByClass(const WrittenType &written) const {
    return written.qualifier.isValid() && !written.alias && outermostClass(*target_.record);
  }

  [[nodiscard]] std::string viewName(const WrittenType &written, bool isConst) const {
    if (written.isAuto)
      return isConst && addsConst()
                 ? spelledFor(target_, target_.names.constView, declarator_.getDeclContext())
                 : "auto";
    return nameOf(written, isConst ? target_.names.constView : target_.names.view);
  }

  /// `const auto *first = p`, `const auto &body = p[i]`: the view would have to be told.
  [[nodiscard]] bool addsConst() const {
    const auto *variable = clang::dyn_cast<clang::VarDecl>(&declarator_);
    const clang::Expr *from = variable ? variable->getInit() : nullptr;
    if (!from)
      return false;
    const clang::QualType type = from->IgnoreImpCasts()->getType();
    return !(type->isPointerType() ? type->getPointeeType() : type).isConstQualified();
  }

  /// A name of the header's, as it is written in place of the record's.
  [[nodiscard]] std::string nameOf(const WrittenType &written, const std::string &name) const {
    // Neither an instantiation nor `struct Cell` tells which using-declaration brought the name in.
    const bool isElaborated =
        written.keyword.isValid() && written.qualifier.isInvalid() && !written.alias;
    return written.isTemplateParameter || isElaborated || isAliasFromElsewhere(written) ||
                   isQualifiedByClass(written) || (written.isOfTemplate && !written.isQualified)
               ? spelledFor(target_, name, declarator_.getDeclContext())
               : name;
  }

  /// Erases `*` or `&` with the qualifiers behind it, and keeps what remains apart by one space.
  /// True where one of them is const.
  bool topConst(const WrittenType &written) {
    if (written.sign.isInvalid())
      return false;
    const std::optional<clang::SourceLocation> start = reader_.spelled(written.sign);
    std::optional<FileRange> sign = start ? reader_.tokenRange(*start) : std::nullopt;
    if (const std::optional<FileRange> paren =
            written.parens.isValid() ? reader_.tokenRange(written.parens.getBegin()) : std::nullopt;
        sign && paren && paren->begin.path == sign->begin.path)
      sign->begin = paren->begin;
    bool isConst = false;
    std::optional<clang::Token> next = sign ? tokenBehindQualifiers(*start, isConst) : std::nullopt;
    const std::optional<FilePlace> end = next ? reader_.place(next->getLocation()) : std::nullopt;
    if (!end || end->path != sign->begin.path) {
      edits_.own.fail(written.sign);
      return false;
    }
    eraseSign(*sign, end->offset,
              next->isOneOf(clang::tok::raw_identifier, clang::tok::coloncolon, clang::tok::star,
                            clang::tok::amp));
    return isConst;
  }

  std::optional<clang::Token> tokenBehindQualifiers(clang::SourceLocation sign, bool &isConst) {
    std::optional<clang::Token> next = reader_.tokenAfter(sign);
    while (next) {
      const std::string word = reader_.text(*next);
      if (word == "const")
        isConst = true;
      else if (!isRestrict(word) && !isRestrictMacro(*next))
        break;
      next = reader_.tokenAfter(next->getLocation());
    }
    return next;
  }

  void eraseSign(const FileRange &sign, unsigned end, bool nameFollows) {
    const std::string &file = reader_.fileText(sign.begin.path);
    FileRange erased{sign.begin, end};
    if (const std::string text = reader_.text(erased);
        text.find("/*") != std::string::npos || text.find("//") != std::string::npos)
      erased.end = sign.end;
    const unsigned begin = erased.begin.offset;
    const bool spaceBefore = begin > 0 && isSpace(file[begin - 1]);
    if (spaceBefore && !nameFollows)
      while (erased.begin.offset > 0 && isSpace(file[erased.begin.offset - 1]))
        --erased.begin.offset;
    const bool needsSpace = !spaceBefore && nameFollows;
    if (isReference_)
      edits_.own.add({{sign.begin, erased.end}, needsSpace ? "& " : "&"});
    else
      edits_.own.add({erased, needsSpace ? " " : ""});
  }

  /// A macro of the user's that stands for `__restrict__` alone.
  bool isRestrictMacro(const clang::Token &token) {
    if (token.isNot(clang::tok::raw_identifier))
      return false;
    clang::Preprocessor &preprocessor = program_.unit.preprocessor();
    const clang::MacroInfo *macro =
        preprocessor.getMacroInfo(preprocessor.getIdentifierInfo(reader_.text(token)));
    return macro && macro->isObjectLike() && macro->getNumTokens() == 1 &&
           isRestrict(preprocessor.getSpelling(macro->getReplacementToken(0)));
  }

  void erase(clang::SourceRange tokens) {
    if (const std::optional<FileRange> range = reader_.range(tokens))
      edits_.own.add({*range, ""});
    else
      edits_.own.fail(tokens.getBegin());
  }

  /// `T __restrict__ *p`: nvcc passes over it in front of a pointer's sign, and not behind a view.
  void eraseIdleRestrict(clang::SourceLocation base) {
    const std::optional<clang::Token> next = reader_.tokenAfter(base);
    if (next && (isRestrict(reader_.text(*next)) || isRestrictMacro(*next)))
      eraseWord(next->getLocation());
  }

  void eraseWord(clang::SourceLocation word) {
    if (const std::optional<FileRange> range = reader_.tokenRange(word))
      edits_.shared.add({withSpaceBehind(*range, reader_), ""});
    else
      edits_.own.fail(word);
  }

  /// The same with the space in front: what follows may be erased with its own.
  void eraseWordBehind(clang::SourceLocation word) {
    std::optional<FileRange> range = reader_.tokenRange(word);
    if (!range)
      return edits_.own.fail(word);
    const std::string &file = reader_.fileText(range->begin.path);
    while (range->begin.offset > 0 && isSpace(file[range->begin.offset - 1]))
      --range->begin.offset;
    edits_.shared.add({*range, ""});
  }

  /// `const` belongs to the record here, and the view says it by its name.
  void erasePointeeConst(const WrittenType &written, clang::SourceLocation base) {
    const clang::SourceManager &sources = program_.unit.sources();
    const std::optional<clang::SourceLocation> name =
        written.templateName.isValid() ? reader_.spelled(written.templateName) : base;
    // `__device__` and the like are macros: the declaration starts where they are written.
    const std::optional<clang::SourceLocation> start = reader_.spelled(
        written.container.isValid() ? written.container.getBegin()
                                    : sources.getExpansionLoc(declarator_.getInnerLocStart()));
    if (!start || !name)
      return edits_.own.fail(base);
    unsigned erased = 0;
    std::optional<clang::Token> token = reader_.tokenAt(*start);
    for (; token && sources.isBeforeInTranslationUnit(token->getLocation(), *name);
         token = reader_.tokenAfter(token->getLocation()))
      if (reader_.text(*token) == "const") {
        eraseWord(token->getLocation());
        ++erased;
      }
    std::optional<clang::Token> after = reader_.tokenAfter(base);
    for (; after && reader_.text(*after) == "const";
         after = reader_.tokenAfter(after->getLocation()), ++erased)
      eraseWordBehind(after->getLocation());
    // None erased: an alias holds the const, and the alias gives way as a whole.
    if (erased > 1)
      edits_.own.fail(base);
  }

  const Program &program_;
  const SourceReader &reader_;
  const clang::DeclaratorDecl &declarator_;
  const Target &target_;
  TypeEdits edits_;
  bool isReference_ = false; ///< `const View &` in place of the pointer
};

} // namespace

TypeEdits editType(const Program &program, const clang::DeclaratorDecl &declarator,
                   const WrittenType &written, clang::QualType held, const Target &target) {
  return TypeEditor(program, declarator, target).edit(written, held);
}

} // namespace relayout::rewriter
