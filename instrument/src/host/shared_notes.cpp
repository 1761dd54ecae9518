// SPDX-License-Identifier: Apache-2.0
// Lowering: tells the executor of arrays in memory that the host reaches, whose states are compared
// in place of copies: where a program allocates them, and where a generated header makes views.
#include "host/lowering_edits.h"
#include "model/flow_apart.h"
#include "probes/record_copies.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/compatibility.h"
#include "relayout/instrument/clang/symbols.h"
#include "relayout/instrument/clang/untyped_functions.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace relayout::instrument {
namespace {

using Index = TokenEdits::Index;

/// Addresses differ from layout to layout.
bool holdsAddresses(clang::QualType type) {
  type = clang::QualType(type->getBaseElementTypeUnsafe(), 0).getCanonicalType();
  if (type->isArithmeticType() || type->isEnumeralType())
    return false;
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record || record->isDynamicClass())
    return true;
  for (const clang::CXXBaseSpecifier &base : record->bases())
    if (holdsAddresses(base.getType()))
      return true;
  for (const clang::FieldDecl *field : record->fields())
    if (holdsAddresses(field->getType()))
      return true;
  return false;
}

/// What is said of the view that a generated header makes.
struct ViewNote {
  Index last = 0;
  std::string open;  ///< up to the view
  std::string close; ///< behind it
};

/// A call that allocates arrays; the instantiations of a template around it share one.
struct AllocatingCall {
  Index last = 0;
  std::string object;  ///< an expression of the records' type, which tells instantiations apart
  std::string closing; ///< behind the call, in place of a parenthesis
  std::string around;  ///< in front of it
  /// The notes of records, by their type's name at run time; empty of those that have none.
  std::map<std::string, std::string> notes;

  /// \returns  empty where none has a note
  [[nodiscard]] std::string note(const clang::ASTContext &ast) const {
    if (std::ranges::all_of(notes, [](const auto &one) { return one.second.empty(); }))
      return {};
    if (notes.size() == 1 && object.empty())
      return notes.begin()->second;
    std::string text = "static_cast<void>(0)";
    for (const auto &[type, note] : notes)
      if (!note.empty())
        text = fmt::format("({} ? {} : {})", hasType(ast, object, type), note, text);
    return text;
  }
};

/// Functions of both sides, by symbol. Constructors keep what they are given, for kernels as well.
class BothSidesFinder : public clang::DynamicRecursiveASTVisitor {
public:
  BothSidesFinder(ParsedUnit &unit, std::set<std::string> &symbols)
      : unit_(unit), symbols_(symbols) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const clang::SourceManager &sources = unit_.sources();
    if (function->hasAttr<clang::CUDADeviceAttr>() && function->hasAttr<clang::CUDAHostAttr>() &&
        !clang::isa<clang::CXXMethodDecl>(function) &&
        unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(function->getLocation()))))
      symbols_.insert(symbolOf(unit_, patternOf(function)));
    return true;
  }

private:
  ParsedUnit &unit_;
  std::set<std::string> &symbols_;
};

class SharedArrayFinder : public clang::DynamicRecursiveASTVisitor {
public:
  SharedArrayFinder(const UnitReading &read, const ArrayFlow &sides)
      : sides_(sides), unit_(*read.host.unit), edits_(*read.host.edits) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseDecl(clang::Decl *declaration) override {
    const clang::FunctionDecl *outer = around_;
    if (const auto *function = clang::dyn_cast_or_null<clang::FunctionDecl>(declaration))
      around_ = function;
    const bool goOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    around_ = outer;
    return goOn;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !callee->getDeclName().isIdentifier())
      return true;
    const CudaCall *known = cudaCallNamed({callee->getName().data(), callee->getName().size()});
    if (known && known->kind == CudaCallKind::Allocation && call->getNumArgs() > 1)
      noteAllocation(*call, *known);
    else if (!known && takesUntyped(*callee))
      noteFilledIn(*call, *callee);
    return true;
  }

  /// `(R *)allocateManaged(bytes)`
  bool VisitExplicitCastExpr(clang::ExplicitCastExpr *conversion) override {
    const auto *call =
        clang::dyn_cast<clang::CallExpr>(conversion->getSubExpr()->IgnoreParenImpCasts());
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee || !conversion->getType()->isPointerType() ||
        untypedLevel(callee->getReturnType()) != 1)
      return true;
    const UntypedFunction function = readUntyped(*callee);
    const std::size_t result =
        function.obstacle.empty() ? function.returned() : UntypedFunction::kNone;
    if (result != UntypedFunction::kNone &&
        isShared(function.pointers[result].allocated, conversion))
      addByFunction(*call, conversion->getType()->getPointeeType(), *conversion, "*");
    return true;
  }

  /// `*view = array;` of a generated header.
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr *assignment) override {
    if (assignment->getOperator() != clang::OO_Equal || assignment->getNumArgs() != 2)
      return true;
    const clang::Expr *array = assignment->getArg(1)->IgnoreParenImpCasts();
    if (const std::optional<ViewMethods> view = methodsOfView(*array)) {
      const clang::QualType record = view->load->getReturnType().getUnqualifiedType();
      const std::string name = clang::cast<clang::DeclRefExpr>(array)->getDecl()->getName().str();
      addView(
          *array, record,
          fmt::format(", bytes / {}u, {}.{}(), [](const void *view, std::size_t i, void *to) {{ "
                      "const auto element = static_cast<const decltype({}) *>(view)->{}(i); "
                      "__builtin_memcpy(to, &element, sizeof element); }})",
                      unit_.ast().getTypeSizeInChars(record).getQuantity(), name,
                      view->allocation->getNameAsString(), name, view->load->getNameAsString()));
    }
    return true;
  }

  void insert(TokenEdits &edits) const {
    for (const auto &[first, note] : views_)
      if (note)
        edits.wrap(first, note->last, note->open, note->close);
    for (const auto &[first, call] : calls_)
      if (const std::string note = call.note(unit_.ast()); !note.empty())
        edits.wrap(first, call.last, fmt::format("({}, {}", note, call.around), call.closing);
  }

private:
  void noteAllocation(const clang::CallExpr &call, const CudaCall &known) {
    const clang::Expr *target = call.getArg(0)->IgnoreParenCasts();
    const clang::QualType element = target->getType()->getPointeeType();
    if (element.isNull() || !element->isPointerType())
      return;
    const bool isShared = known.memory == CudaMemory::Managed ||
                          (known.memory == CudaMemory::Host && reachesKernels(target));
    if (isShared)
      addCall(call, element->getPointeeType(), *target, "**", {}, ")");
  }

  /// `allocateManaged((void **)&p, bytes)`, of a function of the program's.
  void noteFilledIn(const clang::CallExpr &call, const clang::FunctionDecl &callee) {
    for (unsigned i = 0; i < call.getNumArgs() && i < callee.getNumParams(); ++i) {
      const clang::Expr *target = call.getArg(i)->IgnoreParenCasts();
      const clang::QualType element = target->getType()->getPointeeType();
      if (untypedLevel(callee.getParamDecl(i)->getType()) != 2 || element.isNull() ||
          !element->isPointerType())
        continue;
      const UntypedFunction function = readUntyped(callee);
      const std::size_t pointer = function.obstacle.empty()
                                      ? function.pointerOf(function.function->getParamDecl(i))
                                      : UntypedFunction::kNone;
      if (pointer != UntypedFunction::kNone &&
          isShared(function.pointers[pointer].allocated, target))
        return addByFunction(call, element->getPointeeType(), *target, "**");
    }
  }

  [[nodiscard]] bool isShared(const Origins &allocated, const clang::Expr *target) const {
    return allocated.managed || (allocated.pinned && reachesKernels(target));
  }

  [[nodiscard]] bool reachesKernels(const clang::Expr *target) const {
    const std::uint32_t group = sides_.groupOf(target);
    return group != trace::kNone && sides_.groups()[group].mayBeDeviceArrays();
  }

  /// What reads elements of a view, and says where they are: by what they return, since their names
  /// may be those of fields.
  struct ViewMethods {
    const clang::CXXMethodDecl *load, *allocation;
  };

  /// Of a view that a function of a generated header hands out, where that allocates memory which
  /// the host reaches; nothing for other expressions.
  [[nodiscard]] std::optional<ViewMethods> methodsOfView(const clang::Expr &array) const {
    const clang::CXXRecordDecl *view = array.getType()->getAsCXXRecordDecl();
    if (!view || !clang::isa<clang::DeclRefExpr>(array) || !around_ ||
        !around_->getDeclName().isIdentifier())
      return std::nullopt;
    const llvm::StringRef allocates = around_->getName();
    if (!allocates.ends_with("MallocManaged") && !allocates.ends_with("MallocHost") &&
        !allocates.ends_with("HostAlloc"))
      return std::nullopt;
    const ViewMethods methods{
        methodOf(*view, "load",
                 [&](const clang::CXXMethodDecl &method) {
                   return method.getReturnType()->isRecordType() ||
                          (!method.getReturnType()->isReferenceType() && isOfNumbers(*view));
                 }),
        methodOf(*view, "allocation", [](const clang::CXXMethodDecl &method) {
          return method.getNumParams() == 0 && method.getReturnType()->isVoidPointerType();
        })};
    if (!methods.load || !methods.allocation)
      return std::nullopt;
    return methods;
  }

  /// Views of plain arrays have subscripts.
  static bool isOfNumbers(const clang::CXXRecordDecl &view) {
    return std::ranges::any_of(view.methods(), [](const clang::CXXMethodDecl *method) {
      return method->getOverloadedOperator() == clang::OO_Subscript;
    });
  }

  /// Of the class or its bases: a method with this word in its name.
  template <class Predicate>
  static const clang::CXXMethodDecl *methodOf(const clang::CXXRecordDecl &record,
                                              llvm::StringRef word, const Predicate &isMeant) {
    for (const clang::CXXMethodDecl *method : record.methods())
      if (method->getDeclName().isIdentifier() &&
          method->getName().find_insensitive(word) != llvm::StringRef::npos && isMeant(*method))
        return method;
    for (const clang::CXXBaseSpecifier &base : record.bases())
      if (const clang::CXXRecordDecl *inner = base.getType()->getAsCXXRecordDecl())
        if (const clang::CXXMethodDecl *method = methodOf(*inner, word, isMeant))
          return method;
    return nullptr;
  }

  void addView(const clang::Expr &view, clang::QualType element, const std::string &close) {
    const auto first = edits_.indexOf(view.getBeginLoc());
    const auto last = edits_.indexOf(view.getEndLoc());
    if (!first || !last || element->isDependentType())
      return;
    const std::string arguments = argumentsOf(view, element);
    const auto [entry, isNew] = views_.try_emplace(*first, std::nullopt);
    if (isNew && !arguments.empty())
      entry->second =
          ViewNote{*last, fmt::format("::relayout::host::noteView({}, ", arguments), close};
  }

  /// The note is for what the function allocates, and for nothing after it.
  void addByFunction(const clang::CallExpr &call, clang::QualType element, const clang::Expr &array,
                     const char *stars) {
    if (call.getType()->isVoidType())
      addCall(call, element, array, stars, {}, ", ::relayout::host::dropSharedNote())");
    else
      addCall(call, element, array, stars, "::relayout::host::withoutSharedNote(", "))");
  }

  /// \param array  what its array's type is told by, behind these stars
  void addCall(const clang::CallExpr &call, clang::QualType element, const clang::Expr &array,
               const char *stars, const char *around, const char *closing) {
    const auto first = edits_.indexOf(call.getBeginLoc());
    const auto last = edits_.indexOf(call.getEndLoc());
    element = element.getUnqualifiedType();
    if (!first || !last || element->isDependentType() || element->isVoidType() ||
        element->isIncompleteType())
      return;
    AllocatingCall &noted = calls_[*first];
    noted.last = *last;
    noted.around = around ? around : "";
    noted.closing = closing;
    const auto from = edits_.indexOf(array.getBeginLoc()), to = edits_.indexOf(array.getEndLoc());
    if (around_ && around_->isTemplateInstantiation() && from && to)
      noted.object = fmt::format("{}({})", stars, edits_.text(*from, *to));
    const std::string arguments = argumentsOf(call, element);
    const std::string note =
        arguments.empty() ? arguments : fmt::format("::relayout::host::noteShared({})", arguments);
    noted.notes.try_emplace(runtimeNameOf(unit_.ast(), element), note);
  }

  /// \returns  empty of what has no records of its own, and of records that hold addresses
  [[nodiscard]] std::string argumentsOf(const clang::Expr &call, clang::QualType element) const {
    if (element->isVoidType() || element->isIncompleteType() || holdsAddresses(element))
      return {};
    std::string spans;
    if (const clang::CXXRecordDecl *record = element->getAsCXXRecordDecl())
      for (const auto &[offset, length] : paddingOf(unit_.ast(), record))
        spans += fmt::format("{}{{{}u, {}u}}", spans.empty() ? "" : ", ", offset, length);
    const SourcePlace place = unit_.place(call.getBeginLoc());
    return fmt::format("{}, {}u, {{{}}}",
                       stringLiteral(fmt::format("{}:{}", place.file, place.line)),
                       unit_.ast().getTypeSizeInChars(element).getQuantity(), spans);
  }

  const ArrayFlow &sides_;
  ParsedUnit &unit_;
  const TokenEdits &edits_;
  const clang::FunctionDecl *around_ = nullptr;
  std::map<Index, std::optional<ViewNote>> views_;
  std::map<Index, AllocatingCall> calls_;
};

} // namespace

std::vector<ArrayFlow> flowsOfEachSide(const std::vector<UnitReading *> &units) {
  std::vector<ParsedUnit *> parsed;
  std::set<std::string> ofBothSides;
  for (const UnitReading *unit : units) {
    parsed.push_back(unit->host.unit.get());
    BothSidesFinder(*unit->host.unit, ofBothSides).TraverseAST(unit->host.unit->ast());
  }
  return flowApart(parsed, ofBothSides);
}

void noteSharedArrays(UnitReading &unit, const ArrayFlow &sides) {
  if (unit.command.language == Language::C) // the notes are C++
    return;
  SharedArrayFinder finder(unit, sides);
  finder.TraverseAST(unit.host.unit->ast());
  finder.insert(*unit.host.edits);
}

} // namespace relayout::instrument
