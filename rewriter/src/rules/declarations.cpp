// SPDX-License-Identifier: Apache-2.0
// Changes the types of declarations: `const Particle *p` becomes `ConstParticleView p`.
#include "pass/program.h"
#include "rules/mixed_declarations.h"
#include "rules/written_type.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/TypeLoc.h>

#include <fmt/format.h>

#include <cctype>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

bool isOneLevel(clang::QualType type) {
  type = type.getNonReferenceType();
  return !type->isPointerType() || type->getPointeeType()->isRecordType();
}

class DeclarationRewriter {
public:
  explicit DeclarationRewriter(Program &program)
      : program_(program), reader_(program.reader), mixed_(program) {}

  void run() {
    for (const clang::DeclaratorDecl *declarator : program_.index.declarators())
      if (const Target *target = program_.targetOf(declarator))
        rewrite(*declarator, *target);
    mixed_.splitAll();
    refuseUnseen();
  }

private:
  void refuse(Code code, const clang::NamedDecl &declaration, const std::string &why,
              const std::string &remedy) {
    program_.findings.refuse(code, fmt::format("'{}' {}", declaration.getNameAsString(), why),
                             declaration.getLocation(), remedy);
  }

  bool isEditable(const clang::DeclaratorDecl &declaration, clang::QualType type,
                  const Target &target) {
    if (declaration.getDeclContext()->isDependentContext() && type->isDependentType())
      return false;
    if (!isOneLevel(type) || type->isRValueReferenceType() ||
        (type->isReferenceType() && !type.getNonReferenceType()->isRecordType())) {
      refuse(Code::PointerToPointer, declaration,
             fmt::format("is a pointer or reference to a pointer to '{}'", target.shape.name),
             "pass and return the pointer by value");
      return false;
    }
    if (type->isArrayType()) {
      refuse(Code::DeclarationFixed, declaration,
             fmt::format("is an array of '{}' or of pointers to it", target.shape.name),
             "only single pointers become views");
      return false;
    }
    const clang::QualType pointee =
        type->isReferenceType() ? type.getNonReferenceType() : type->getPointeeType();
    if (pointee.isVolatileQualified() || type.isVolatileQualified()) {
      refuse(Code::DeclarationFixed, declaration, "is volatile", "views have no volatile accesses");
      return false;
    }
    return true;
  }

  /// The header follows the record's definition, and views are known behind it only.
  bool isBehindHeader(const clang::DeclaratorDecl &declarator, const Target &target) {
    if (program_.unit.sources().isBeforeInTranslationUnit(target.record->getBraceRange().getEnd(),
                                                          declarator.getLocation()))
      return true;
    const auto *field = dyn_cast<clang::FieldDecl>(&declarator);
    if (field && field->getParent()->getDefinition() == target.record)
      refuse(Code::DeclarationFixed, declarator,
             "is a pointer between records that change their layout",
             "link records by index instead");
    else
      refuse(Code::UsedBeforeDefinition, declarator,
             fmt::format("is declared before '{}' is", target.shape.name),
             "move the definition of the record up");
    return false;
  }

  void rewrite(const clang::DeclaratorDecl &declarator, const Target &target) {
    if (const auto *function = dyn_cast<clang::FunctionDecl>(&declarator))
      return rewriteReturn(*function, target);
    if (isKeptReference(&declarator)) {
      seen_.insert(declarator.getLocation());
      return;
    }
    if (!isEditable(declarator, declarator.getType(), target) ||
        !isBehindHeader(declarator, target))
      return;
    if (const auto *field = dyn_cast<clang::FieldDecl>(&declarator)) {
      if (field->getType()->isReferenceType())
        return refuse(Code::DeclarationFixed, declarator, "is a member reference",
                      "store a pointer instead");
      if (field->getParent()->isUnion())
        return refuse(Code::DeclarationFixed, declarator, "is a member of a union",
                      "take it out of the union");
      if (program_.targetOf(dyn_cast<clang::CXXRecordDecl>(field->getParent())))
        return refuse(Code::DeclarationFixed, declarator,
                      "is a pointer between records that change their layout",
                      "link records by index instead");
    }
    if (const auto *variable = dyn_cast<clang::VarDecl>(&declarator)) {
      if (!isPlain(*variable))
        return;
      if (variable->isInitCapture()) { // has no type of its own to edit
        seen_.insert(declarator.getLocation());
        return;
      }
    }
    if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(&declarator);
        parameter && !isPlain(*parameter))
      return;
    editType(declarator, declarator.getTypeSourceInfo(), declarator.getType(),
             declarator.getLocation(), target);
  }

  bool isPlain(const clang::VarDecl &variable) {
    if (isa<clang::DecompositionDecl>(variable)) {
      program_.findings.refuse(Code::DeclarationFixed,
                               "a structured binding refers to an element of an array",
                               variable.getLocation(), "copy the element, or name its fields");
      return false;
    }
    if (variable.isInitCapture() && variable.getType()->isReferenceType()) {
      refuse(Code::DeclarationFixed, variable, "is captured by reference",
             "capture the pointer instead");
      return false;
    }
    if (variable.isConstexpr()) {
      refuse(Code::DeclarationFixed, variable, "is constexpr", "make it const");
      return false;
    }
    if (variable.hasExternalStorage() && !variable.getDefinition()) {
      refuse(Code::DeclarationFixed, variable, "is defined in another file",
             "rewrite one file at a time only where it holds all uses of its arrays");
      return false;
    }
    return true;
  }

  bool isPlain(const clang::ParmVarDecl &parameter) {
    const auto *function = dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
    if (!function) {
      refuse(Code::DeclarationFixed, parameter, "is a parameter of a function type",
             "call functions by their names");
      return false;
    }
    return isPlain(*function);
  }

  bool isPlain(const clang::FunctionDecl &function) {
    const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
    std::string why, remedy = "call it through a plain function";
    if (method && method->isVirtual())
      why = "is virtual and takes or returns pointers to records";
    else if (function.isExternC() || function.isMain())
      why = "has C linkage and takes or returns pointers to records";
    else if (function.isOverloadedOperator() && function.getOverloadedOperator() != clang::OO_Call)
      why = "is an operator on pointers to records";
    else if (function.getTemplateSpecializationKind() ==
                 clang::TSK_ExplicitInstantiationDefinition ||
             function.getTemplateSpecializationKind() ==
                 clang::TSK_ExplicitInstantiationDeclaration)
      why = "is instantiated explicitly", remedy = "let the calls instantiate it";
    else if (!function.isDefined() && !function.getTemplateInstantiationPattern())
      why = "is defined in another file",
      remedy = "rewrite one file at a time only where it holds all uses of its arrays";
    if (why.empty())
      return true;
    refuse(Code::DeclarationFixed, function, why, remedy);
    return false;
  }

  void rewriteReturn(const clang::FunctionDecl &function, const Target &target) {
    if (!isEditable(function, function.getReturnType(), target) ||
        !isBehindHeader(function, target) || !isPlain(function))
      return;
    if (function.getReturnType()->isReferenceType())
      return refuse(Code::DeclarationFixed, function,
                    fmt::format("returns a reference to an element of '{}'", target.shape.name),
                    "return the index or a pointer");
    const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
    const clang::FunctionTypeLoc type = function.getFunctionTypeLoc();
    if (method && method->getParent()->isLambda() &&
        (!type || type.getReturnLoc().getBeginLoc().isInvalid() ||
         function.getReturnType()->getContainedAutoType())) {
      seen_.insert(function.getLocation());
      return; // deduced
    }
    if (!type)
      return refuse(Code::DeclarationFixed, function, "has a type that is not written out",
                    "write its type out");
    const auto *prototype = function.getType()->getAs<clang::FunctionProtoType>();
    if (prototype && prototype->hasTrailingReturn())
      return refuse(Code::DeclarationFixed, function, "has a trailing return type",
                    "write the return type in front");
    editTypeLoc(function, type.getReturnLoc(), function.getReturnType(), function.getLocation(),
                target);
  }

  void editType(const clang::DeclaratorDecl &declarator, const clang::TypeSourceInfo *info,
                clang::QualType type, clang::SourceLocation name, const Target &target) {
    if (!info)
      return refuse(Code::DeclarationFixed, declarator, "has a type that is not written out",
                    "write its type out");
    editTypeLoc(declarator, info->getTypeLoc(), type, name, target);
  }

  void editTypeLoc(const clang::DeclaratorDecl &declarator, clang::TypeLoc typeLoc,
                   clang::QualType type, clang::SourceLocation name, const Target &target) {
    const WrittenType written = readType(typeLoc);
    if (!written.problem.empty())
      return refuse(
          written.problem.find("template") != std::string::npos ? Code::TemplateDecidesType
                                                                : Code::DeclarationFixed,
          declarator, written.problem, fmt::format("write its type as '{} *'", target.shape.name));
    // Where the record's own scope has the alias, the view is visible wherever the alias is.
    const bool isElsewhere =
        written.alias &&
        written.alias->getDeclContext()->getRedeclContext()->getPrimaryContext() !=
            target.record->getDeclContext()->getRedeclContext()->getPrimaryContext();
    if (isElsewhere && written.isQualified)
      return refuse(Code::DeclarationFixed, declarator,
                    "names its type by an alias from another scope",
                    fmt::format("write its type as '{} *'", target.shape.name));
    const std::optional<FilePlace> use = reader_.place(name);
    const std::optional<clang::SourceLocation> base = reader_.spelled(written.base);
    if (!use || !base)
      return refuseMacro(declarator);

    const clang::QualType pointee =
        type->isReferenceType() ? type.getNonReferenceType() : type->getPointeeType();
    std::vector<Edit> edits;     // of this declarator
    std::vector<Edit> baseEdits; // of what it shares with others of its declaration
    std::string text = pointee.isConstQualified() ? target.names.constView : target.names.view;
    if (isElsewhere)
      text = spelledFor(target, text, declarator.getDeclContext());
    if (written.isAuto)
      text = "auto";
    bool topConst = false;
    if (written.sign.isValid() && !editSign(declarator, written.sign, edits, topConst))
      return;
    if (topConst)
      text = "const " + text;
    if (written.brackets.isValid() && !erase(written.brackets, edits))
      return refuseMacro(declarator);
    if (written.sign.isValid() || written.brackets.isValid()) {
      // `const` belongs to the record here, and the view says it by its name.
      if (!erasePointeeConst(declarator, *base, pointee.isConstQualified(), baseEdits))
        return;
    }
    if (written.keyword.isValid()) {
      const std::optional<FileRange> keyword = reader_.tokenRange(written.keyword);
      if (!keyword)
        return refuseMacro(declarator);
      baseEdits.push_back(Edit{withSpaceBehind(*keyword, reader_), ""});
    }
    const std::optional<FileRange> baseRange = reader_.tokenRange(*base);
    if (!baseRange)
      return refuseMacro(declarator);
    if (reader_.text(*baseRange) != text)
      baseEdits.push_back({*baseRange, text});
    seen_.insert(declarator.getLocation());
    if (written.isAuto || !mixed_.add(baseRange->begin, declarator, baseEdits))
      edits.insert(edits.end(), baseEdits.begin(), baseEdits.end());
    if (!program_.edits.add(*use, std::move(edits)))
      refuse(Code::TemplateDecidesType, declarator,
             "would need different types in different instantiations", "write its type out");
  }

  void refuseMacro(const clang::DeclaratorDecl &declarator) {
    refuse(Code::EditInMacro, declarator, "has its type in the body of a macro",
           "write the declaration out, or take the type out of the macro");
  }

  /// Erases `*` or `&` with the qualifiers behind it, and keeps what remains apart by one space.
  bool editSign(const clang::DeclaratorDecl &declarator, clang::SourceLocation sign,
                std::vector<Edit> &edits, bool &topConst) {
    const std::optional<clang::SourceLocation> start = reader_.spelled(sign);
    const std::optional<FileRange> range = start ? reader_.tokenRange(*start) : std::nullopt;
    if (!range) {
      refuseMacro(declarator);
      return false;
    }
    clang::SourceLocation last = *start;
    std::optional<clang::Token> next;
    while ((next = reader_.tokenAfter(last))) {
      const std::string word = reader_.text(*next);
      if (word == "const")
        topConst = true;
      else if (!isRestrict(word) && !isRestrictMacro(*next))
        break;
      last = next->getLocation();
    }
    if (!next) {
      refuseMacro(declarator);
      return false;
    }
    const std::optional<FilePlace> end = reader_.place(next->getLocation());
    if (!end || end->path != range->begin.path) {
      refuseMacro(declarator);
      return false;
    }
    const std::string &file = reader_.fileText(range->begin.path);
    FileRange erased{range->begin, end->offset};
    if (reader_.text(erased).find("/*") != std::string::npos ||
        reader_.text(erased).find("//") != std::string::npos)
      erased.end = range->end;
    const unsigned begin = erased.begin.offset;
    const bool spaceBefore = begin > 0 && std::isspace(static_cast<unsigned char>(file[begin - 1]));
    const bool nameFollows =
        next->is(clang::tok::raw_identifier) || next->is(clang::tok::coloncolon);
    std::string text = !spaceBefore && nameFollows ? " " : "";
    if (spaceBefore && !nameFollows)
      while (erased.begin.offset > 0 &&
             std::isspace(static_cast<unsigned char>(file[erased.begin.offset - 1])))
        --erased.begin.offset;
    edits.push_back({erased, text});
    return true;
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

  static bool isRestrict(const std::string &word) {
    return word == "__restrict__" || word == "__restrict" || word == "restrict";
  }

  bool erase(clang::SourceRange tokens, std::vector<Edit> &edits) {
    const std::optional<FileRange> range = reader_.range(tokens);
    if (range)
      edits.push_back({*range, ""});
    return range.has_value();
  }

  bool erasePointeeConst(const clang::DeclaratorDecl &declarator, clang::SourceLocation base,
                         bool isConst, std::vector<Edit> &edits) {
    if (!isConst)
      return true;
    // `__device__` and its kin are macros: the declaration starts where they are written.
    const std::optional<clang::SourceLocation> start =
        reader_.spelled(program_.unit.sources().getExpansionLoc(declarator.getInnerLocStart()));
    unsigned erased = 0;
    const auto eraseIfConst = [&](const clang::Token &token) {
      if (reader_.text(token) != "const")
        return false;
      if (const std::optional<FileRange> range = reader_.tokenRange(token.getLocation())) {
        edits.push_back(Edit{withSpaceBehind(*range, reader_), ""});
        ++erased;
      }
      return true;
    };
    if (start) {
      const clang::SourceManager &sources = program_.unit.sources();
      std::optional<clang::Token> token = reader_.tokenAt(*start);
      while (token && sources.isBeforeInTranslationUnit(token->getLocation(), base)) {
        eraseIfConst(*token);
        token = reader_.tokenAfter(token->getLocation());
      }
      std::optional<clang::Token> after = reader_.tokenAfter(base);
      while (after && eraseIfConst(*after))
        after = reader_.tokenAfter(after->getLocation());
    }
    // None erased: an alias holds the const, and the alias gives way as a whole.
    if (!start || erased > 1) {
      refuseMacro(declarator);
      return false;
    }
    return true;
  }

  /// A declaration of the group that the walk over the user's text did not meet.
  void refuseUnseen() {
    if (!program_.findings.empty())
      return;
    for (const auto &[group, target] : program_.targets)
      for (const clang::ValueDecl *declaration : program_.flow.groups()[group].declarations)
        if (!seen_.count(declaration->getLocation()))
          program_.findings.refuse(
              Code::TemplateDecidesType,
              fmt::format("'{}' points into an array of '{}' where its type is not written out",
                          instrument::ArrayFlow::nameOf(declaration), target->shape.name),
              declaration->getLocation(), "write its type out instead of leaving it to a template");
  }

  Program &program_;
  const SourceReader &reader_;
  MixedDeclarations mixed_;
  std::set<clang::SourceLocation> seen_;
};

} // namespace

void rewriteDeclarations(Program &program) { DeclarationRewriter(program).run(); }

} // namespace relayout::rewriter
