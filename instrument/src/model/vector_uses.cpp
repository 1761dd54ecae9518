// SPDX-License-Identifier: Apache-2.0
// Visits the user's code around every expression that is a vector.
#include "model/vector_uses.h"

#include "model/code_around.h"
#include "model/thrust_vectors.h"
#include "model/vector_calls.h"
#include "model/vector_iterators.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

using AllUses = std::map<const clang::CXXRecordDecl *, VectorUses>;

/// The code of one function or initialiser.
class CodeWalk {
public:
  CodeWalk(ParsedUnit &unit, AllUses &all, bool isInstance)
      : notes_{VectorText(unit), all, isInstance} {}

  void walk(const clang::Stmt *statement) {
    if (!statement)
      return;
    if (const auto *expression = dyn_cast<clang::Expr>(statement))
      look(*expression);
    around_.statements.push_back(statement);
    for (const clang::Stmt *child : statement->children())
      walk(child);
    around_.statements.pop_back();
  }

private:
  void look(const clang::Expr &expression) {
    const clang::CXXRecordDecl *const own = elementOfDeviceVector(expression.getType());
    if (notes_.isInTemplate) // what is copied to the host is of interest all the same
      refuseInTemplate(expression, own);
    if (!addsNothing(expression))
      readIterator(notes_, around_, expression);
    if (const auto *call = dyn_cast<clang::CXXMemberCallExpr>(&expression)) {
      if (const clang::CXXRecordDecl *element = elementOfDeviceVector(objectType(*call)))
        return lookAtMethod(*call, element);
      readGet(notes_, *call, macroUseOf(*call));
      readAlgorithm(notes_, *call);
    } else if (const auto *operation = dyn_cast<clang::CXXOperatorCallExpr>(&expression)) {
      lookAtOperator(*operation);
    } else if (const auto *call = dyn_cast<clang::CallExpr>(&expression)) {
      lookAtCall(*call);
    } else if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(&expression)) {
      if (own)
        readConstruction(notes_, *construction, own);
      else
        readHostConstruction(notes_, *construction);
    }
    if (own && !addsNothing(expression))
      lookAround(expression, own);
  }

  /// Of a macro that stands for the expression, in parentheses or without.
  [[nodiscard]] std::optional<clang::CharSourceRange>
  macroUseOf(const clang::Expr &expression) const {
    std::optional<clang::CharSourceRange> use = notes_.text.macroUse(expression);
    for (auto outer = around_.statements.rbegin();
         !use && outer != around_.statements.rend() && addsNothing(**outer); ++outer)
      use = notes_.text.macroUse(**outer);
    return use;
  }

  void refuseInTemplate(const clang::Expr &expression, const clang::CXXRecordDecl *element) {
    if (const auto *call = dyn_cast<clang::CXXMemberCallExpr>(&expression); call && !element)
      element = elementOfDeviceVector(objectType(*call));
    if (const clang::CXXRecordDecl *own = elementOfDeviceIterator(expression.getType()))
      return notes_.refuse(own, "a template uses iterators of device memory that holds them",
                           expression.getExprLoc());
    if (!element)
      return;
    notes_.all[element].hasRawPointer = true; // or so it must be taken
    notes_.refuse(element, "a template uses the Thrust vector that holds them",
                  expression.getExprLoc());
  }

  void lookAtMethod(const clang::CXXMemberCallExpr &call, const clang::CXXRecordDecl *element) {
    const clang::CXXMethodDecl *method = call.getMethodDecl();
    const std::string name =
        method && method->getDeclName().isIdentifier() ? method->getName().str() : std::string();
    const auto written = static_cast<unsigned>(
        std::ranges::count_if(call.arguments(), [](const clang::Expr *argument) {
          return !isa<clang::CXXDefaultArgExpr>(argument);
        }));
    if (name == "size" || name == "swap" || notes_.understood.contains(&call))
      return;
    if (name == "data")
      return notes_.add(element, method->isConst() ? VectorPart::ConstData : VectorPart::Data);
    if (name == "begin" || name == "end")
      return notes_.add(element,
                        method->isConst() ? VectorPart::ConstIterators : VectorPart::Iterators);
    if (name == "cbegin" || name == "cend")
      return notes_.add(element, VectorPart::NamedConstIterators);
    if (name == "empty")
      return notes_.add(element, VectorPart::Empty);
    if (name == "clear")
      return notes_.add(element, VectorPart::Clear);
    if (name == "resize")
      return notes_.add(element, written == 1 ? VectorPart::Resize : VectorPart::FillResize);
    if (name == "reserve")
      return notes_.add(element, VectorPart::Reserve);
    if (name == "push_back")
      return notes_.add(element, VectorPart::PushBack);
    if (name == "assign" && written == 2) {
      if (isValueOf(*call.getArg(1), element))
        return notes_.add(element, VectorPart::FillAssignment);
      if (editVectorRange(notes_, *call.getArg(0), *call.getArg(1), element))
        return notes_.add(element, VectorPart::RangeAssignment);
    }
    notes_.refuse(element, fmt::format("'{}' of the Thrust vector that holds them is called", name),
                  call.getExprLoc());
  }

  void lookAtCall(const clang::CallExpr &call) {
    const clang::FunctionDecl *callee = call.getDirectCallee();
    if (!callee || !callee->getDeclName().isIdentifier())
      return;
    constexpr unsigned kArgumentsOfCopy = 3; // without an execution policy
    const llvm::StringRef name = callee->getName();
    if (name == "raw_pointer_cast" && isOfThrust(*callee) && call.getNumArgs() == 1)
      readRawPointer(notes_, call, macroUseOf(call));
    else if (name == "copy" && (isOfThrust(*callee) || callee->isInStdNamespace()) &&
             call.getNumArgs() == kArgumentsOfCopy &&
             CodeAround::isDiscarded(around_.holderOf(call)))
      readCopy(notes_, call);
    readAlgorithm(notes_, call);
  }

  void lookAtOperator(const clang::CXXOperatorCallExpr &call) {
    const clang::CXXRecordDecl *element = elementOfDeviceVector(operandType(*call.getArg(0)));
    const bool isAssignment = call.getOperator() == clang::OO_Equal && call.getNumArgs() == 2;
    if (!element && isAssignment) {
      if (elementOfDeviceVector(operandType(*call.getArg(1))))
        lookAtAssignmentToHost(call);
      return;
    }
    if (!element)
      return;
    if (call.getOperator() == clang::OO_Subscript)
      return lookAtElement(call, element);
    const clang::Expr &value = *call.getArg(1);
    if (isAssignment && elementOfDeviceVector(operandType(value)) == element) {
      if (withoutNothing(value)->isLValue())
        notes_.add(element, VectorPart::Copies);
      notes_.understood.insert(&call);
      return;
    }
    if (const std::string host = nameOfHostVector(operandType(value));
        isAssignment && !host.empty() && elementOfHostContainer(operandType(value)) == element) {
      notes_.add(element, VectorPart::HostAssignment, host);
      notes_.understood.insert(&call);
      return;
    }
    notes_.refuse(element, "an operator works on the Thrust vector that holds them",
                  call.getOperatorLoc());
  }

  /// `d[i]`
  void lookAtElement(const clang::CXXOperatorCallExpr &call, const clang::CXXRecordDecl *element) {
    notes_.understood.insert(withoutNothing(*call.getArg(0)));
    if (notes_.understood.contains(&call))
      return;
    const CodeAround::Holder holder = around_.holderOf(call);
    const clang::SourceLocation bracket = notes_.text.behind(*call.getArg(0));
    const auto *assignment = dyn_cast_or_null<clang::CXXOperatorCallExpr>(holder.statement);
    const bool isAssigned = assignment && assignment->getOperator() == clang::OO_Equal &&
                            isOfThrust(*assignment->getDirectCallee());
    if (isAssigned && assignment->getArg(0) == holder.held) {
      const clang::Expr &value = *assignment->getArg(1);
      if (CodeAround::isDiscarded(around_.beyond(holder, *assignment)) &&
          !mayInterfere(*call.getArg(1), value)) {
        notes_.add(element, VectorPart::Set);
        notes_.edit(element,
                    clang::CharSourceRange::getCharRange(bracket, call.getArg(1)->getBeginLoc()),
                    ".set(");
        notes_.edit(element,
                    clang::CharSourceRange::getCharRange(call.getRParenLoc(), value.getBeginLoc()),
                    ", ");
        const clang::SourceLocation behind = notes_.text.behind(value);
        return notes_.edit(element, clang::CharSourceRange::getCharRange(behind, behind), ")");
      }
    } else if (isAssigned || isConversionTo(holder.statement, element)) {
      notes_.add(element, VectorPart::Get);
      notes_.copyBack(element, &call);
      notes_.edit(element,
                  clang::CharSourceRange::getCharRange(bracket, call.getArg(1)->getBeginLoc()),
                  ".get(");
      return notes_.edit(element, clang::CharSourceRange::getTokenRange(call.getRParenLoc()), ")");
    }
    notes_.refuse(element,
                  "an element of the Thrust vector that holds them is neither read nor assigned",
                  call.getExprLoc());
  }

  static bool isConversionTo(const clang::Stmt *around, const clang::CXXRecordDecl *element) {
    const auto *member = dyn_cast_or_null<clang::MemberExpr>(around);
    const auto *conversion =
        member ? dyn_cast<clang::CXXConversionDecl>(member->getMemberDecl()) : nullptr;
    const clang::CXXRecordDecl *into =
        conversion ? conversion->getConversionType()->getAsCXXRecordDecl() : nullptr;
    return into && into->getDefinition() == element;
  }

  /// `h = d;`
  void lookAtAssignmentToHost(const clang::CXXOperatorCallExpr &call) {
    const clang::Expr &host = *call.getArg(0);
    const clang::Expr &vector = *call.getArg(1);
    const clang::CXXRecordDecl *element = elementOfDeviceVector(operandType(vector));
    const std::string name = nameOfHostVector(operandType(host));
    if (name.empty() || elementOfHostContainer(operandType(host)) != element ||
        !CodeAround::isDiscarded(around_.holderOf(call)) || !isPlain(host))
      return;
    notes_.understood.insert(&call);
    notes_.add(element, VectorPart::CopyToVector, name);
    notes_.copyBack(element, withoutNothing(vector));
    const bool isOperation = isa<clang::UnaryOperator, clang::AbstractConditionalOperator>(
        vector.IgnoreImplicit()); // of lower precedence than a call
    notes_.edit(element,
                clang::CharSourceRange::getCharRange(host.getBeginLoc(), vector.getBeginLoc()),
                isOperation ? "(" : "");
    const clang::SourceLocation behind = notes_.text.behind(vector);
    notes_.edit(element, clang::CharSourceRange::getCharRange(behind, behind),
                fmt::format("{}.copyTo({})", isOperation ? ")" : "", notes_.text.of(host)));
  }

  /// Whether the program may do there what it does with an object of any class.
  void lookAround(const clang::Expr &vector, const clang::CXXRecordDecl *element) {
    const CodeAround::Holder holder = around_.holderOf(vector);
    const clang::Stmt *around = holder.statement;
    if (!around || notes_.understood.contains(&vector) || isa<clang::MemberExpr>(around) ||
        notes_.understood.contains(dyn_cast<clang::Expr>(around)))
      return;
    if (const auto *call = dyn_cast<clang::CXXOperatorCallExpr>(around);
        call && elementOfDeviceVector(operandType(*call->getArg(0))))
      return; // looked at by itself
    if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(around)) {
      if (elementOfDeviceVector(construction->getType()) ||
          !isOfThrust(*construction->getConstructor()))
        return;
    } else if (const auto *call = dyn_cast<clang::CallExpr>(around)) {
      const clang::FunctionDecl *callee = call->getDirectCallee();
      const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(callee);
      if (!callee || !isOfThrust(*callee) ||
          (method && method->getDeclName().isIdentifier() && method->getName() == "swap"))
        return;
      if (callee->getDeclName().isIdentifier())
        return notes_.refuse(element,
                             fmt::format("'thrust::{}' works on the Thrust vector that holds them",
                                         callee->getName().str()),
                             call->getExprLoc());
    } else if (isa<clang::DeclStmt>(around)) {
      const auto *loop = dyn_cast_or_null<clang::CXXForRangeStmt>(holder.beyond);
      if (!loop || loop->getRangeStmt() != around)
        return;
      return notes_.refuse(element,
                           "a loop visits the elements of the Thrust vector that holds them",
                           vector.getExprLoc());
    } else if (const auto *unary = dyn_cast<clang::UnaryOperator>(around)) {
      if (unary->getOpcode() == clang::UO_AddrOf)
        return;
    } else if (isa<clang::ReturnStmt, clang::CompoundStmt, clang::InitListExpr, clang::LambdaExpr,
                   clang::CXXNewExpr, clang::ConditionalOperator, clang::IfStmt, clang::ForStmt,
                   clang::CXXStaticCastExpr, clang::CXXFunctionalCastExpr>(around)) {
      return;
    }
    notes_.refuse(element,
                  "the Thrust vector that holds them is used in a way that is not followed",
                  vector.getExprLoc());
  }

  VectorNotes notes_;
  CodeAround around_;
};

/// Finds the code, and the names of the type.
class VectorVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  VectorVisitor(ParsedUnit &unit, AllUses &all) : unit_(unit), all_(all) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseDecl(clang::Decl *declaration) override {
    if (!declaration || isa<clang::TranslationUnitDecl>(declaration))
      return clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    if (declaration->getDeclContext()->isTranslationUnit() && !isUsers(*declaration))
      return true;
    if (const auto *function = dyn_cast<clang::FunctionDecl>(declaration);
        function && isMereCandidate(*function))
      return true;
    const bool isScope = isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration);
    const bool isOutermost = !outermost_ && !isScope;
    const bool isInstance = isInstantiation(*declaration);
    if (isOutermost)
      outermost_ = declaration;
    instancesAround_ += isInstance;
    const bool goesOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    instancesAround_ -= isInstance;
    if (isOutermost)
      outermost_ = nullptr;
    return goesOn;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (!function->doesThisDeclarationHaveABody() || function->isDependentContext())
      return true;
    walk(function->getBody());
    if (const auto *constructor = dyn_cast<clang::CXXConstructorDecl>(function))
      for (const clang::CXXCtorInitializer *initialiser : constructor->inits())
        if (initialiser->isWritten())
          walk(initialiser->getInit());
    return true;
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    if (!variable->isLocalVarDecl() && variable->hasInit() &&
        !variable->getDeclContext()->isDependentContext() && !isa<clang::ParmVarDecl>(variable))
      walk(variable->getInit());
    return true;
  }

  bool VisitFieldDecl(clang::FieldDecl *field) override {
    if (elementOfDeviceVector(field->getType()))
      all_[elementOfDeviceVector(field->getType())].parts.insert({VectorPart::Copies, {}});
    if (field->hasInClassInitializer() && !field->getDeclContext()->isDependentContext())
      walk(field->getInClassInitializer());
    return true;
  }

  bool VisitCXXRecordDecl(clang::CXXRecordDecl *record) override {
    if (!record->isThisDeclarationADefinition() || record->isDependentContext())
      return true;
    for (const clang::CXXBaseSpecifier &base : record->bases())
      if (const clang::CXXRecordDecl *element = elementOfDeviceVector(base.getType())) {
        all_[element].hasRawPointer = true;
        refuse(element, "a class is derived from the Thrust vector that holds them",
               base.getBeginLoc());
      }
    return true;
  }

  bool VisitQualifiedTypeLoc(clang::QualifiedTypeLoc type) override {
    if (isDevicePointer(type.getType()))
      refuse(elementOfDeviceIterator(type.getType()), "a thrust::device_ptr to them is const",
             type.getBeginLoc());
    return true;
  }

  /// `thrust::device_ptr<R>(p)` goes as a whole.
  bool VisitCXXFunctionalCastExpr(clang::CXXFunctionalCastExpr *cast) override {
    if (isDevicePointer(cast->getType()))
      if (const auto type = cast->getTypeInfoAsWritten()
                                ->getTypeLoc()
                                .getAs<clang::TemplateSpecializationTypeLoc>())
        castTypes_.insert(type.getTemplateNameLoc());
    return true;
  }

  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc type) override {
    if (!type.getType()->isDependentType() && isDevicePointer(type.getType()) &&
        !castTypes_.contains(type.getTemplateNameLoc()))
      mentionPointer(type);
    const clang::CXXRecordDecl *element =
        type.getType()->isDependentType() ? nullptr : elementOfDeviceVector(type.getType());
    if (!element)
      return true;
    VectorUses &uses = all_[element];
    const clang::SourceLocation name = type.getTemplateNameLoc();
    if (std::ranges::find(uses.mentions, name) != uses.mentions.end())
      return true;
    if (instancesAround_ != 0)
      refuse(element, "a template uses the Thrust vector that holds them", name);
    uses.mentions.push_back(name);
    uses.mentioning.push_back(outermost_);
    return true;
  }

private:
  void walk(const clang::Stmt *code) { CodeWalk(unit_, all_, instancesAround_ != 0).walk(code); }

  void mentionPointer(clang::TemplateSpecializationTypeLoc type) {
    const clang::CXXRecordDecl *element = elementOfDeviceIterator(type.getType());
    VectorUses &uses = all_[element];
    const clang::SourceLocation name = type.getTemplateNameLoc();
    if (instancesAround_ != 0)
      refuse(element, "a template uses iterators of device memory that holds them", name);
    else if (std::ranges::find(uses.pointerMentions, name) != uses.pointerMentions.end())
      refuse(element, "one declaration declares several thrust::device_ptr to them", name);
    else
      uses.pointerMentions.push_back(name);
    uses.hasRawPointer = uses.hasDevicePointer = true; // of what it is made
  }

  void refuse(const clang::CXXRecordDecl *element, const char *what, clang::SourceLocation where) {
    VectorUses &uses = all_[element];
    if (!uses.obstacle.empty())
      return;
    uses.obstacle = what;
    uses.obstaclePlace = where;
  }

  bool isUsers(const clang::Decl &declaration) const {
    const clang::SourceManager &sources = unit_.sources();
    return declaration.getLocation().isValid() &&
           unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(declaration.getLocation())));
  }

  static bool isInstantiation(const clang::Decl &declaration) {
    if (const auto *function = dyn_cast<clang::FunctionDecl>(&declaration))
      return function->isTemplateInstantiation();
    const auto *record = dyn_cast<clang::ClassTemplateSpecializationDecl>(&declaration);
    return record && clang::isTemplateInstantiation(record->getTemplateSpecializationKind());
  }

  ParsedUnit &unit_;
  AllUses &all_;
  std::set<clang::SourceLocation> castTypes_;
  clang::Decl *outermost_ = nullptr; ///< of a namespace
  unsigned instancesAround_ = 0;
};

} // namespace

bool isMereCandidate(const clang::FunctionDecl &function) {
  return function.isTemplateInstantiation() && !function.doesThisDeclarationHaveABody() &&
         !function.isReferenced() && !function.isUsed();
}

std::string nameOfRangeToHost(const std::string &host) {
  return host == "std::vector" ? "stdVector" : "hostVector";
}

AllUses vectorUses(ParsedUnit &unit) {
  AllUses all;
  const clang::IdentifierTable &names = unit.preprocessor().getIdentifierTable();
  if (names.find("device_vector") != names.end() || names.find("device_ptr") != names.end())
    VectorVisitor(unit, all).TraverseAST(unit.ast());
  for (auto &[element, uses] : all)
    uses.element = element;
  return all;
}

} // namespace relayout::instrument
