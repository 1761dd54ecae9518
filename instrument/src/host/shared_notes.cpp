// SPDX-License-Identifier: Apache-2.0
// Lowering: tells the executor of arrays in memory that the host reaches, whose states are compared
// in place of copies: where a program allocates them, and where a generated header makes views.
#include "host/lowering_edits.h"
#include "probes/record_copies.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/compatibility.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

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

/// What is said of an allocation: the same of all instantiations of a template around it, or none.
struct SharedNote {
  Index last = 0;
  std::string open;  ///< up to the call
  std::string close; ///< behind it
};

class SharedArrayFinder : public clang::DynamicRecursiveASTVisitor {
public:
  explicit SharedArrayFinder(const UnitReading &read)
      : read_(read), unit_(*read.host.unit), edits_(*read.host.edits) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseFunctionDecl(clang::FunctionDecl *function) override {
    const clang::FunctionDecl *outer = around_;
    around_ = function;
    const bool goOn = clang::DynamicRecursiveASTVisitor::TraverseFunctionDecl(function);
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
      add(*array, "noteView", record,
          fmt::format(", bytes / {}u, {}.{}(), [](const void *view, std::size_t i, void *to) {{ "
                      "const auto element = static_cast<const decltype({}) *>(view)->{}(i); "
                      "__builtin_memcpy(to, &element, sizeof element); }})",
                      unit_.ast().getTypeSizeInChars(record).getQuantity(), name,
                      view->allocation->getNameAsString(), name, view->load->getNameAsString()));
    }
    return true;
  }

  void insert(TokenEdits &edits) const {
    for (const auto &[first, note] : notes_)
      if (note)
        edits.wrap(first, note->last, note->open, note->close);
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
      add(call, "noteShared", element->getPointeeType().getUnqualifiedType(), ")");
  }

  [[nodiscard]] bool reachesKernels(const clang::Expr *target) const {
    const ArrayFlow &flow = read_.host.found.flow;
    const std::uint32_t group = flow.groupOf(target);
    return group != trace::kNone && flow.groups()[group].mayBeDeviceArrays();
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

  void add(const clang::Expr &call, const char *function, clang::QualType element,
           const std::string &close) {
    const auto first = edits_.indexOf(call.getBeginLoc());
    const auto last = edits_.indexOf(call.getEndLoc());
    if (!first || !last || element->isDependentType())
      return;
    const std::optional<SharedNote> note = noteOf(call, function, element, close);
    const auto [entry, isNew] = notes_.try_emplace(*first, note);
    if (!isNew && (!note || !entry->second || entry->second->open != note->open))
      entry->second.reset();
    if (entry->second)
      entry->second->last = *last;
  }

  [[nodiscard]] std::optional<SharedNote> noteOf(const clang::Expr &call, const char *function,
                                                 clang::QualType element,
                                                 const std::string &close) const {
    if (element->isVoidType() || element->isIncompleteType() || holdsAddresses(element))
      return std::nullopt;
    std::string spans;
    if (const clang::CXXRecordDecl *record = element->getAsCXXRecordDecl())
      for (const auto &[offset, length] : paddingOf(unit_.ast(), record))
        spans += fmt::format("{}{{{}u, {}u}}", spans.empty() ? "" : ", ", offset, length);
    const SourcePlace place = unit_.place(call.getBeginLoc());
    const std::string arguments =
        fmt::format("{}, {}u, {{{}}}", stringLiteral(fmt::format("{}:{}", place.file, place.line)),
                    unit_.ast().getTypeSizeInChars(element).getQuantity(), spans);
    const bool isView = close != ")";
    return SharedNote{0,
                      fmt::format(fmt::runtime(isView ? "::relayout::host::{}({}, "
                                                      : "(::relayout::host::{}({}), "),
                                  function, arguments),
                      close};
  }

  const UnitReading &read_;
  ParsedUnit &unit_;
  const TokenEdits &edits_;
  const clang::FunctionDecl *around_ = nullptr;
  std::map<Index, std::optional<SharedNote>> notes_;
};

} // namespace

void noteSharedArrays(UnitReading &unit) {
  if (unit.command.language == Language::C) // the notes are C++
    return;
  SharedArrayFinder finder(unit);
  finder.TraverseAST(unit.host.unit->ast());
  finder.insert(*unit.host.edits);
}

} // namespace relayout::instrument
