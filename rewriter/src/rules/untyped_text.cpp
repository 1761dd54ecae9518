// SPDX-License-Identifier: Apache-2.0
// Writes a function on memory without a type anew, for the views of one record.
#include "legality/template_arguments.h"
#include "legality/whole_records.h"
#include "rules/function_text.h"
#include "rules/memory_calls.h"
#include "rules/untyped_copies.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/TypeLoc.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;
using instrument::UntypedFunction;

class UntypedCopyWriter {
public:
  UntypedCopyWriter(Program &program, UntypedCopy &copy)
      : program_(program), reader_(program.reader), copy_(copy), target_(*copy.target),
        function_(*copy.function.function), edits_(program.reader) {}

  void write() {
    editTypes();
    for (const UntypedFunction::Call &inner : copy_.function.calls)
      if (inner.known)
        editCudaCall(*inner.call, *inner.known);
      else
        editOwnCall(*inner.call);
    if (function_.getNameAsString() != copy_.name)
      edits_.replace(function_.getLocation(), function_.getNameAsString(), copy_.name);
    addExtentParameters();
    for (const clang::ParmVarDecl *parameter : function_.parameters())
      if (parameter->hasInheritedDefaultArg())
        refuse("has default arguments in another declaration", parameter->getLocation());
    if (program_.findings.empty())
      insert();
  }

private:
  void refuse(const std::string &why, clang::SourceLocation where,
              Code code = Code::PointerEscapes) {
    program_.findings.refuse({code,
                              fmt::format("'{}' {}, and cannot be written for arrays of '{}'",
                                          function_.getNameAsString(), why, target_.shape.name),
                              where, "let it take pointers to the record, or make it a template"});
  }

  UntypedRole roleOf(std::size_t pointer) const {
    return pointer == UntypedFunction::kNone ? UntypedRole::Kept : copy_.roles[pointer];
  }
  UntypedRole roleOf(const clang::Expr *argument) const {
    return roleOf(copy_.function.pointerOf(argument));
  }

  void editTypes() {
    for (std::size_t i = 0; i < copy_.roles.size(); ++i) {
      if (copy_.roles[i] == UntypedRole::View && copy_.function.pointers[i].isCompared)
        need(ViewOperation::Equality);
      for (const clang::VarDecl *variable : copy_.function.pointers[i].variables)
        editType(variable->getTypeSourceInfo() ? variable->getTypeSourceInfo()->getTypeLoc()
                                               : clang::TypeLoc(),
                 variable->getBeginLoc(), copy_.roles[i]);
      if (copy_.function.pointers[i].isReturned)
        editType(function_.getFunctionTypeLoc().getReturnLoc(), function_.getBeginLoc(),
                 copy_.roles[i]);
    }
  }

  /// `const void *` becomes `ConstParticleView`, or `const Particle *`.
  void editType(clang::TypeLoc type, clang::SourceLocation begin, UntypedRole role) {
    clang::SourceLocation star;
    bool isConst = false, isRestrict = false;
    while (type) {
      isConst = type.getType().isConstQualified();
      isRestrict |= type.getType().isRestrictQualified();
      type = type.getUnqualifiedLoc();
      const auto pointer = type.getAs<clang::PointerTypeLoc>();
      if (!pointer)
        break;
      star = pointer.getStarLoc();
      type = pointer.getPointeeLoc();
    }
    const auto name = type ? type.getAs<clang::BuiltinTypeLoc>() : clang::BuiltinTypeLoc();
    if (!name || star.isInvalid())
      return refuse("has a pointer whose type is not written out", begin);
    const auto [known, isNew] = roles_.try_emplace(name.getBuiltinLoc(), role);
    if (known->second != role)
      return refuse("declares pointers of different kinds in one declaration", begin);
    if (role == UntypedRole::Kept || !isNew)
      return role == UntypedRole::View ? eraseStar(star) : void();
    const std::string word = name.getType()->isVoidType() ? "void" : "char";
    if (role == UntypedRole::Records)
      return edits_.replace(name.getBuiltinLoc(), word, spelled(target_.shape.name));
    if (isRestrict)
      return refuse("has a restrict pointer", begin);
    eraseStar(star);
    edits_.replace(name.getBuiltinLoc(), word,
                   spelled(isConst ? target_.names.constView : target_.names.view));
    if (isConst)
      eraseConst(begin, name.getBuiltinLoc());
  }

  [[nodiscard]] std::string spelled(const std::string &name) const {
    return spelledFor(target_, name, function_.getDeclContext());
  }

  void eraseStar(clang::SourceLocation star) {
    const std::optional<FileRange> range = reader_.tokenRange(star);
    if (!range || reader_.text(*range) != "*")
      return edits_.fail(star);
    const std::string &text = reader_.fileText(range->begin.path);
    const auto isWord = [&](unsigned at) {
      return at < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    const bool joins =
        range->begin.offset > 0 && isWord(range->begin.offset - 1) && isWord(range->end);
    edits_.add({*range, joins ? " " : ""});
  }

  /// In front of `void`, or directly behind it.
  void eraseConst(clang::SourceLocation begin, clang::SourceLocation name) {
    const std::optional<clang::SourceLocation> first =
        reader_.spelled(program_.unit.sources().getExpansionLoc(begin));
    const std::optional<clang::SourceLocation> last = reader_.spelled(name);
    std::optional<clang::Token> token = first && last ? reader_.tokenAt(*first) : std::nullopt;
    for (bool isBehind = false; token; token = reader_.tokenAfter(token->getLocation())) {
      if (reader_.text(*token) == "const")
        if (const std::optional<FileRange> range = reader_.tokenRange(token->getLocation()))
          return edits_.add({withSpaceBehind(*range, reader_), ""});
      if (isBehind)
        break;
      isBehind = token->getLocation() == *last;
    }
    edits_.fail(name);
  }

  void editCudaCall(const clang::CallExpr &call, const CudaCall &known) {
    const bool isCopy = known.kind == CudaCallKind::Copy;
    const UntypedRole first = roleOf(call.getArg(0));
    const UntypedRole second = isCopy ? roleOf(call.getArg(1)) : UntypedRole::Kept;
    if (first != UntypedRole::View && second != UntypedRole::View)
      return;
    if (isCopy && (first == UntypedRole::Kept || second == UntypedRole::Kept))
      return refuse("copies between an array and something that is none of its records",
                    call.getExprLoc(), Code::UnsupportedCudaCall);
    const std::string name = isCopy ? noteCopy(call, first, second) : noteOther(call, known);
    if (name.empty())
      return refuse(fmt::format("calls '{}' in a way that has no counterpart", known.name),
                    call.getExprLoc(), Code::UnsupportedCudaCall);
    HeaderParts &parts = program_.parts[&target_];
    const bool isNamedAsync =
        known.kind == CudaCallKind::Allocation || known.kind == CudaCallKind::Hint;
    parts.onStreams |= known.isOnStream && known.kind != CudaCallKind::Hint;
    if ((isCopy || known.kind == CudaCallKind::Set) &&
        !countsWholeRecords(program_, *call.getArg(2), *target_.record))
      parts.insideElements = true;
    rename(call, isNamedAsync || !known.isOnStream ? name : name + "Async");
    for (unsigned i = 0; i < (isCopy ? 2u : 1u); ++i)
      dropCasts(call.getArg(i));
  }

  std::string noteCopy(const clang::CallExpr &call, UntypedRole first, UntypedRole second) {
    if (!goesToArray(program_, target_, call, first == UntypedRole::View))
      return {};
    need(second != UntypedRole::View  ? ViewOperation::CopyIn
         : first != UntypedRole::View ? ViewOperation::CopyOut
                                      : ViewOperation::CopyWithin);
    return target_.names.copy;
  }

  std::string noteOther(const clang::CallExpr &call, const CudaCall &known) {
    const bool isPinned = known.memory == CudaMemory::Host;
    if (known.kind == CudaCallKind::Set) {
      need(ViewOperation::Set);
      return target_.names.set;
    }
    if (known.kind == CudaCallKind::Free) {
      need(isPinned ? ViewOperation::FreePinned : ViewOperation::Free);
      if (pointsToConst(*call.getArg(0)))
        program_.parts[&target_].freesConst = true;
      return isPinned ? target_.names.functionFor(known.name) : target_.names.release;
    }
    if (known.kind == CudaCallKind::Hint) {
      need(operationOfHint(known, call));
      program_.parts[&target_].hintsOfConst |= pointsToConst(*call.getArg(0));
      return target_.names.functionFor(known.name);
    }
    if (known.kind != CudaCallKind::Allocation)
      return {};
    passExtents(call, *call.getArg(1));
    need(operationOf(known));
    return target_.names.functionFor(known.name);
  }

  void need(ViewOperation operation) { program_.parts[&target_].operations.insert(operation); }

  void rename(const clang::CallExpr &call, const std::string &name) {
    const auto *callee = dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
    if (!callee || callee->hasQualifier() || callee->hasExplicitTemplateArgs())
      return edits_.fail(call.getExprLoc());
    if (callee->getNameInfo().getAsString() != name)
      edits_.replace(callee->getLocation(), callee->getNameInfo().getAsString(), name);
  }

  void dropCasts(const clang::Expr *argument) {
    if (std::optional<Refusal> refusal = dropVoidCasts(edits_, argument))
      program_.findings.refuse(std::move(*refusal));
  }

  /// A call of another function of this kind: of a copy of that one, where it is given views.
  void editOwnCall(const clang::CallExpr &call) {
    UntypedFunction inner = instrument::readUntyped(*call.getDirectCallee());
    std::vector<UntypedRole> roles;
    bool hasView = false;
    for (std::size_t i = 0; i < inner.pointers.size(); ++i) {
      const clang::Expr *argument = inner.argumentFor(i, call);
      roles.push_back(argument ? roleOf(argument) : UntypedRole::Kept);
      hasView |= roles.back() == UntypedRole::View;
      if (argument && roles.back() != UntypedRole::Kept)
        dropCasts(argument);
    }
    if (!hasView)
      return;
    for (const std::shared_ptr<UntypedCopy> &known : program_.untypedCopies)
      if (known->function.function == inner.function && known->target == &target_ &&
          known->roles == roles)
        return reach(*known, call);
    auto added = std::make_shared<UntypedCopy>(copyOf(std::move(inner), target_, std::move(roles)));
    added->name = added->function.function->getNameAsString();
    program_.untypedCopies.push_back(added);
    reach(*added, call);
  }

  void reach(UntypedCopy &inner, const clang::CallExpr &call) {
    inner.height = std::min(inner.height, copy_.height - 1);
    const clang::SourceManager &sources = program_.unit.sources();
    if (sources.isBeforeInTranslationUnit(endOf(function_), endOf(*inner.function.function)))
      return refuse(fmt::format("calls '{}', which follows it,", inner.name), call.getExprLoc(),
                    Code::UsedBeforeDefinition);
    rename(call, inner.name);
    if (!inner.extents.empty())
      passExtents(call, *call.getArg(call.getNumArgs() - 1));
  }

  /// The copy's own extents, behind an argument.
  void passExtents(const clang::CallExpr &call, const clang::Expr &argument) {
    if (copy_.extents.empty())
      return;
    if (isa<clang::CXXDefaultArgExpr>(argument))
      return edits_.fail(call.getExprLoc());
    edits_.insertAfter(argument, fmt::format(", {}", fmt::join(copy_.extents, ", ")));
  }

  void addExtentParameters() {
    if (copy_.extents.empty())
      return;
    const std::optional<clang::SourceLocation> closing =
        reader_.spelled(function_.getFunctionTypeLoc().getRParenLoc());
    const std::optional<FileRange> range = closing ? reader_.tokenRange(*closing) : std::nullopt;
    const bool hasDefaults =
        std::ranges::any_of(function_.parameters(), &clang::ParmVarDecl::hasDefaultArg);
    if (!range || hasDefaults)
      return refuse("needs extents of the array as parameters more", function_.getLocation(),
                    Code::UnsupportedCudaCall);
    edits_.add({{range->begin, range->begin.offset},
                fmt::format(", size_t {}", fmt::join(copy_.extents, ", size_t ")),
                {0, 1}});
  }

  /// Behind its copy, the names in it are known: its own end, or that of the record.
  [[nodiscard]] clang::SourceLocation endOf(const clang::FunctionDecl &function) const {
    const clang::SourceLocation own = function.getBody()->getEndLoc();
    const clang::SourceLocation record =
        definedBeforeHeader(*target_.record).getBraceRange().getEnd();
    return program_.includes.count(target_.record) != 0 &&
                   program_.unit.sources().isBeforeInTranslationUnit(own, record)
               ? record
               : own;
  }

  void insert() {
    const clang::SourceManager &sources = program_.unit.sources();
    const std::optional<FilePlace> begin =
        reader_.place(sources.getExpansionLoc(function_.getOuterLocStart()));
    const std::optional<FileRange> end = reader_.tokenRange(function_.getBody()->getEndLoc());
    if (!begin || !end || edits_.failed() || begin->path != end->begin.path)
      return refuse("is written by a macro",
                    edits_.failed() ? *edits_.failedAt() : function_.getLocation(),
                    Code::EditInMacro);
    const FileRange range{*begin, end->end};
    FilePlace place{range.begin.path, range.end};
    const clang::SourceLocation last = endOf(function_);
    if (last != function_.getBody()->getEndLoc()) {
      place = program_.includes.at(target_.record).place;
      if (!function_.getDeclContext()->getRedeclContext()->isTranslationUnit() ||
          !target_.record->getDeclContext()->getRedeclContext()->isTranslationUnit())
        return refuse("precedes the record, in a namespace", function_.getLocation(),
                      Code::UsedBeforeDefinition);
    }
    EditSet own;
    if (!own.add(range.begin, edits_.take()))
      return refuse("has two edits at one place", function_.getLocation());
    if (copy_.call.isValid() &&
        sources.isBeforeInTranslationUnit(sources.getExpansionLoc(copy_.call), last) &&
        !declareBeforeCall(own, range))
      return refuse("is called before its definition", copy_.call, Code::UsedBeforeDefinition);
    add(own, range, place);
  }

  /// Declares the copy in front of what calls it first, as the function is declared somewhere.
  /// \returns  false where the record is not known there, or names may mean something else
  bool declareBeforeCall(const EditSet &own, const FileRange &range) {
    const clang::SourceManager &sources = program_.unit.sources();
    const clang::SourceLocation call = sources.getExpansionLoc(copy_.call);
    const std::optional<FilePlace> body = reader_.place(function_.getBody()->getBeginLoc());
    const bool hasDefaults =
        std::ranges::any_of(function_.parameters(), &clang::ParmVarDecl::hasDefaultArg);
    if (!body || hasDefaults || !function_.getDeclContext()->isTranslationUnit())
      return false;
    const clang::Decl *around = nullptr;
    for (const clang::Decl *declared : program_.unit.ast().getTranslationUnitDecl()->decls())
      if (declared->getBeginLoc().isValid() &&
          !sources.isBeforeInTranslationUnit(call, declared->getBeginLoc()) &&
          sources.isBeforeInTranslationUnit(call, declared->getEndLoc()))
        around = declared;
    const std::optional<FilePlace> place =
        around ? reader_.place(sources.getExpansionLoc(around->getBeginLoc())) : std::nullopt;
    // `[[noreturn]]` in front of it would be the declaration's.
    const clang::FunctionDecl *caller = around ? around->getAsFunction() : nullptr;
    const bool hasAttributes =
        caller && std::ranges::any_of(caller->attrs(), [](const auto *given) {
          return given->isStandardAttributeSyntax();
        });
    if (!place || hasAttributes ||
        !sources.isBeforeInTranslationUnit(
            definedBeforeHeader(*target_.record).getBraceRange().getEnd(), around->getBeginLoc()))
      return false;
    std::optional<std::string> text = own.textOf({range.begin, body->offset}, reader_);
    if (!text)
      return false;
    text->erase(text->find_last_not_of(" \t\r\n") + 1);
    return program_.edits.add({keyOf(range) + "|declared", range.begin.offset},
                              {{{*place, place->offset}, prefix() + *text + ";\n\n", {0, 0}}});
  }

  /// Each copy has a key of its own, by what it is written for.
  [[nodiscard]] std::string keyOf(const FileRange &range) const {
    std::string key =
        fmt::format("{}|{}|{}", range.begin.path.text(), target_.names.view, copy_.name);
    for (const UntypedRole role : copy_.roles)
      key += fmt::format("|{}", static_cast<int>(role));
    return key;
  }

  void add(const EditSet &own, const FileRange &range, const FilePlace &place) {
    const std::optional<std::string> text = own.textOf(range, reader_);
    if (!text)
      return refuse("has two edits at one place", function_.getLocation());
    const bool isAtFunction = place == FilePlace{range.begin.path, range.end};
    const std::string copy =
        isAtFunction ? "\n\n" + prefix() + *text : "\n" + prefix() + *text + "\n";
    program_.editedFiles[&target_].insert(place.path);
    if (!program_.edits.add({keyOf(range), range.begin.offset},
                            {{{place, place.offset}, copy, {0, 1000 + copy_.height}}}))
      refuse("would be written in two ways", function_.getLocation(), Code::ConflictingEdits);
  }

  /// A function in a header may be defined in several translation units.
  [[nodiscard]] std::string prefix() const {
    const clang::SourceManager &sources = program_.unit.sources();
    const bool isMain = sources.getFileID(sources.getExpansionLoc(function_.getLocation())) ==
                        sources.getMainFileID();
    return isMain || mayBeDefinedAgain(function_) ? "" : "inline ";
  }

  Program &program_;
  const SourceReader &reader_;
  UntypedCopy &copy_;
  const Target &target_;
  const clang::FunctionDecl &function_;
  TokenEdits edits_;
  std::map<clang::SourceLocation, UntypedRole> roles_; ///< by the word `void`
};

} // namespace

void writeUntypedCopies(Program &program) {
  // A copy may ask for others.
  for (std::size_t i = 0; i < program.untypedCopies.size() && program.findings.empty(); ++i) {
    const std::shared_ptr<UntypedCopy> copy = program.untypedCopies[i];
    UntypedCopyWriter(program, *copy).write();
  }
}

} // namespace relayout::rewriter
