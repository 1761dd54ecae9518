// SPDX-License-Identifier: Apache-2.0
// Visits what the user's code does with spans, and what they are made from.
#include "model/span_uses.h"

#include "model/referents.h"
#include "model/span_objects.h"
#include "model/span_ranges.h"
#include "relayout/instrument/clang/listed_members.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

std::optional<SpanPart> partNamed(llvm::StringRef name) {
  static constexpr auto kParts =
      std::to_array<std::pair<const char *, SpanPart>>({{"front", SpanPart::Front},
                                                        {"back", SpanPart::Back},
                                                        {"data", SpanPart::Data},
                                                        {"size", SpanPart::Size},
                                                        {"ssize", SpanPart::Size},
                                                        {"size_bytes", SpanPart::SizeInBytes},
                                                        {"empty", SpanPart::Empty},
                                                        {"subspan", SpanPart::Subspan},
                                                        {"first", SpanPart::First},
                                                        {"last", SpanPart::Last}});
  const auto *known =
      std::ranges::find_if(kParts, [&](const auto &own) { return name == own.first; });
  return known == kParts.end() ? std::nullopt : std::optional(known->second);
}

/// Functions of the library's that pass on what they are given.
bool passesOn(llvm::StringRef name) {
  return name == "move" || name == "forward" || name == "as_const" || name == "swap" ||
         name == "exchange";
}

llvm::StringRef calledName(const clang::FunctionDecl *function) {
  return function && function->getDeclName().isIdentifier() ? function->getName()
                                                            : llvm::StringRef();
}

class SpanVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  SpanVisitor(ParsedUnit &unit, const ArrayFlow &flow, const clang::CXXRecordDecl &element,
              SpanUses &uses)
      : objects_(unit, flow, element), element_(element), uses_(uses) {
    ShouldVisitTemplateInstantiations = true;
  }

  void finish() {
    for (const SpanMention &mention : uses_.mentions)
      if (dependent_.contains(mention.name))
        refuse(mention.object, "a template names its parameter in the span that holds them",
               mention.name);
    for (const SpanMention &mention : uses_.mentions)
      if (!owned_.contains(mention.name))
        refuseAll("the type of a span of them is named by itself", mention.name);
  }

  bool TraverseDecl(clang::Decl *declaration) override {
    if (!declaration || isa<clang::TranslationUnitDecl>(declaration))
      return clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    if (declaration->getDeclContext()->isTranslationUnit() && !objects_.isUsers(*declaration))
      return true;
    const bool isOutermost =
        !outermost_ && !isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration);
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

  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc type) override {
    addNames(type, type.getType(), {});
    if (type.getType()->isDependentType() &&
        isa_and_nonnull<clang::ConceptDecl, clang::VarTemplateDecl, clang::VarDecl,
                        clang::ClassTemplateSpecializationDecl>(outermost_))
      for (const clang::SourceLocation name : namesIn(type).dependent)
        refuseAll("a template is specialized for spans", name);
    return true;
  }

  bool VisitExplicitCastExpr(clang::ExplicitCastExpr *cast) override {
    addDeduced(*cast, cast->getTypeInfoAsWritten());
    return true;
  }

  bool VisitCXXTemporaryObjectExpr(clang::CXXTemporaryObjectExpr *object) override {
    addDeduced(*object, object->getTypeSourceInfo());
    return true;
  }

  bool VisitTypedefNameDecl(clang::TypedefNameDecl *alias) override {
    declare(*alias, alias->getTypeSourceInfo(), alias->getUnderlyingType());
    return true;
  }

  bool VisitFieldDecl(clang::FieldDecl *field) override {
    declare(*field, field->getTypeSourceInfo(), field->getType());
    flow(*field, field->hasInClassInitializer() ? field->getInClassInitializer() : nullptr);
    return true;
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    declare(*variable, variable->getTypeSourceInfo(), variable->getType());
    const auto *parameter = dyn_cast<clang::ParmVarDecl>(variable);
    if (!parameter || parameter->hasDefaultArg())
      flow(*variable, parameter && (parameter->hasUninstantiatedDefaultArg() ||
                                    parameter->hasUnparsedDefaultArg())
                          ? nullptr
                          : variable->getInit());
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (const clang::FunctionTypeLoc written = function->getFunctionTypeLoc();
        written && objects_.hold(function->getReturnType()))
      addNames(written.getReturnLoc(), function->getReturnType(), objects_.of(*function));
    joinReturns(*function,
                function->doesThisDeclarationHaveABody() ? function->getBody() : nullptr);
    if (const clang::FunctionDecl *previous = function->getPreviousDecl())
      joinDeclarations(*function, *previous);
    if (const auto *method = dyn_cast<clang::CXXMethodDecl>(function))
      for (const clang::CXXMethodDecl *base : method->overridden_methods())
        joinDeclarations(*function, *base);
    if (function->hasAttr<clang::CUDAGlobalAttr>())
      for (const clang::ParmVarDecl *parameter : function->parameters())
        addOfKernel(*parameter);
    return true;
  }

  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl *constructor) override {
    for (const clang::CXXCtorInitializer *initializer : constructor->inits())
      if (initializer->isMemberInitializer())
        flow(*initializer->getMember(), initializer->getInit());
    return true;
  }

  bool VisitInitListExpr(clang::InitListExpr *list) override {
    giveListedMembers(*list, [this](const clang::FieldDecl *field, const clang::Expr *value) {
      flow(*field, value);
    });
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *assignment) override {
    if (assignment->getOpcode() == clang::BO_Assign)
      join(objects_.in(assignment->getLHS()), objects_.in(assignment->getRHS()));
    return true;
  }

  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt *loop) override {
    const std::set<std::string> visited = objects_.in(loop->getRangeInit());
    if (!objects_.isSpan(loop->getRangeInit()->getType())) {
      if (loop->getLoopVariable())
        join({objects_.of(*loop->getLoopVariable())}, visited);
      return true;
    }
    const std::string object = one(visited);
    if (instancesAround_ != 0)
      refuse(object, "a loop in a template visits the span that holds them", loop->getForLoc());
    else
      uses_.loops.push_back({object, loop, visitsUnchangedVariable(*loop)});
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construction) override {
    const clang::CXXConstructorDecl *constructor = construction->getConstructor();
    if (objects_.isSpan(construction->getType()))
      readSpan(*construction);
    else if (objects_.isUsers(*constructor))
      joinArguments(*constructor, {construction->getArgs(), construction->getNumArgs()});
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    llvm::ArrayRef<const clang::Expr *> arguments(call->getArgs(), call->getNumArgs());
    if (!callee)
      return true;
    if (objects_.isUsers(*callee)) {
      if (isa<clang::CXXOperatorCallExpr>(call) && isa<clang::CXXMethodDecl>(callee) &&
          !arguments.empty())
        arguments = arguments.drop_front();
      joinArguments(*callee, arguments);
    } else if (const auto *method = dyn_cast<clang::CXXMemberCallExpr>(call)) {
      readMethod(*method, *callee);
    } else if (const auto *operation = dyn_cast<clang::CXXOperatorCallExpr>(call)) {
      readOperator(*operation);
    } else {
      readLibraryCall(*call, *callee);
    }
    return true;
  }

private:
  // ---- names -----------------------------------------------------------------------------------

  void addNames(clang::TypeLoc written, clang::QualType type, const std::string &object) {
    const TypeNames names = namesIn(written);
    dependent_.insert(names.dependent.begin(), names.dependent.end());
    for (const TypeNames::Name &name : names.spans) {
      const std::optional<SpanType> span = name.type ? name.type : spanTypeOf(type);
      if (!span || span->element != &element_)
        continue;
      const std::string own = objects_.at(name.place);
      if (!object.empty()) {
        uses_.joins.insert({object, own});
        owned_.insert(name.place);
      }
      if (span->isFixed)
        refuse(own, "the extent of the span that holds them is a constant", name.place);
      if (std::ranges::find(uses_.mentions, name.place, &SpanMention::name) == uses_.mentions.end())
        uses_.mentions.push_back(
            {own, name.place, name.hasArguments, span->isConst, span->isOfCuda, outermost_});
    }
    if (!object.empty())
      for (const clang::NamedDecl *alias : names.aliases)
        join({object}, {objects_.of(*alias)});
  }

  /// `std::span{d, n}`
  void addDeduced(const clang::Expr &made, const clang::TypeSourceInfo *written) {
    if (written && objects_.isSpan(made.getType()))
      addNames(written->getTypeLoc(), made.getType(), objects_.made(made));
  }

  void declare(const clang::NamedDecl &declaration, const clang::TypeSourceInfo *written,
               clang::QualType type) {
    if (written && objects_.hold(type))
      addNames(written->getTypeLoc(), type, objects_.of(declaration));
  }

  // ---- flow ------------------------------------------------------------------------------------

  void join(const std::set<std::string> &a, const std::set<std::string> &b) {
    std::string first;
    for (const auto *all : {&a, &b})
      for (const std::string &object : *all) {
        if (!object.empty() && !first.empty() && first != object)
          uses_.joins.insert({first, object});
        if (first.empty())
          first = object;
      }
  }

  void flow(const clang::ValueDecl &into, const clang::Expr *from) {
    if (const std::string object = objects_.of(into); from && !object.empty())
      join({object}, objects_.in(from));
  }

  void joinDeclarations(const clang::FunctionDecl &a, const clang::FunctionDecl &b) {
    join({objects_.of(a)}, {objects_.of(b)});
    for (unsigned i = 0; i < a.getNumParams() && i < b.getNumParams(); ++i)
      join({objects_.of(*a.getParamDecl(i))}, {objects_.of(*b.getParamDecl(i))});
  }

  void joinArguments(const clang::FunctionDecl &callee,
                     llvm::ArrayRef<const clang::Expr *> arguments) {
    for (unsigned i = 0; i < arguments.size() && i < callee.getNumParams(); ++i)
      flow(*callee.getParamDecl(i), arguments[i]);
  }

  void joinReturns(const clang::FunctionDecl &function, const clang::Stmt *statement) {
    if (!statement || isa<clang::LambdaExpr>(statement))
      return;
    if (const auto *ret = dyn_cast<clang::ReturnStmt>(statement))
      return flow(function, ret->getRetValue());
    for (const clang::Stmt *child : statement->children())
      joinReturns(function, child);
  }

  void addOfKernel(const clang::ParmVarDecl &parameter) {
    if (objects_.hold(parameter.getType()))
      uses_.device.insert({objects_.of(parameter), parameter.getLocation()});
    else if (const clang::CXXRecordDecl *record = parameter.getType()->getAsCXXRecordDecl())
      addOfKernel(*record, parameter.getLocation());
  }
  void addOfKernel(const clang::CXXRecordDecl &record, clang::SourceLocation where) {
    if (!record.getDefinition() || !objects_.isUsers(record) || record.isLambda())
      return;
    for (const clang::FieldDecl *field : record.getDefinition()->fields())
      if (objects_.hold(field->getType()))
        uses_.device.insert({objects_.of(*field), where});
      else if (const clang::CXXRecordDecl *inner = field->getType()->getAsCXXRecordDecl())
        addOfKernel(*inner, where);
  }

  // ---- what is done with spans -----------------------------------------------------------------

  static std::string one(const std::set<std::string> &objects) {
    return objects.empty() ? std::string() : *objects.begin();
  }

  void addPart(const clang::Expr *span, SpanPart part) {
    const std::optional<SpanType> type =
        span ? spanTypeOf(pointedTo(span->getType())) : std::nullopt;
    if (type && type->element == &element_)
      uses_.parts.insert({one(objects_.in(span)), type->isConst, part});
  }
  static clang::QualType pointedTo(clang::QualType type) {
    return type->isPointerType() ? type->getPointeeType() : type;
  }

  void readSpan(const clang::CXXConstructExpr &construction) {
    const SpanType type = *spanTypeOf(construction.getType());
    const std::string object = objects_.made(construction);
    const auto *written = std::find_if(
        construction.getArgs(), construction.getArgs() + construction.getNumArgs(),
        [](const clang::Expr *argument) { return isa<clang::CXXDefaultArgExpr>(argument); });
    const auto count = static_cast<unsigned>(written - construction.getArgs());
    if (count == 0)
      return;
    const clang::Expr &first = *construction.getArg(0);
    join({object}, objects_.in(&first));
    if (const std::optional<SpanType> from = spanTypeOf(first.getType());
        count == 1 && from && from->element == &element_) {
      if (from->isConst != type.isConst)
        uses_.parts.insert({object, type.isConst, SpanPart::FromMutable});
      return;
    }
    const bool isPointer = first.getType()->isPointerType();
    if (count == 2 && isPointer) {
      const bool isEnd = construction.getArg(1)->getType()->isPointerType();
      uses_.parts.insert(
          {object, type.isConst, isEnd ? SpanPart::PointerAndEnd : SpanPart::PointerAndSize});
      Referent referent;
      resolve(&first, referent);
      const Origins &origins = referent.origins;
      if (origins.host || origins.local || origins.shared || origins.symbol)
        uses_.other.insert({object, first.getExprLoc()});
      return;
    }
    uses_.other.insert({object, first.getExprLoc()}); // an array, a container or their iterators
  }

  void readMethod(const clang::CXXMemberCallExpr &call, const clang::FunctionDecl &method) {
    const clang::Expr *object = call.getImplicitObjectArgument();
    if (!objects_.isSpan(pointedTo(object->getType())))
      return joinAll(call, object);
    const std::optional<SpanType> result = spanTypeOf(call.getType());
    const std::optional<SpanPart> part = partNamed(calledName(&method));
    if (part && !(result && result->isFixed))
      return addPart(object, *part);
    const std::string called =
        method.isOverloadedOperator() ? "an operator" : "'" + calledName(&method).str() + "'";
    refuse(one(objects_.in(object)),
           fmt::format("{} of the span that holds them is called", called), call.getExprLoc());
  }

  void readOperator(const clang::CXXOperatorCallExpr &call) {
    const clang::Expr *first = call.getArg(0);
    if (!objects_.isSpan(first->getType()))
      return joinAll(call, nullptr);
    if (call.getOperator() == clang::OO_Subscript)
      return addPart(first, SpanPart::Subscript);
    if (call.getOperator() == clang::OO_Equal)
      return joinAll(call, nullptr);
    refuse(one(objects_.in(first)), "an operator works on the span that holds them",
           call.getOperatorLoc());
  }

  /// Of containers of spans, say.
  void joinAll(const clang::CallExpr &call, const clang::Expr *object) {
    std::set<std::string> all;
    if (object && objects_.hold(object->getType()))
      all = objects_.in(object);
    for (const clang::Expr *argument : call.arguments())
      if (objects_.hold(argument->getType()))
        all.merge(objects_.in(argument));
    join(all, {});
  }

  void readLibraryCall(const clang::CallExpr &call, const clang::FunctionDecl &callee) {
    const llvm::StringRef name = calledName(&callee);
    joinAll(call, nullptr);
    for (const clang::Expr *argument : call.arguments()) {
      if (!objects_.isSpan(argument->getType()) || passesOn(name))
        continue;
      if (const std::optional<SpanPart> part = partNamed(name);
          part && (part == SpanPart::Data || part == SpanPart::Size || part == SpanPart::Empty))
        addPart(argument, *part);
      else if (!name.empty() && !name.starts_with("make_") && !name.starts_with("emplace"))
        refuse(
            one(objects_.in(argument)),
            fmt::format("'{}' takes the span that holds them", callee.getQualifiedNameAsString()),
            call.getExprLoc());
    }
  }

  void refuse(const std::string &object, std::string what, clang::SourceLocation where) {
    if (!object.empty())
      uses_.obstacles.push_back({object, std::move(what), where});
  }

  static bool isInstantiation(const clang::Decl &declaration) {
    if (const auto *function = dyn_cast<clang::FunctionDecl>(&declaration))
      return function->isTemplateInstantiation();
    const auto *record = dyn_cast<clang::ClassTemplateSpecializationDecl>(&declaration);
    return record && clang::isTemplateInstantiation(record->getTemplateSpecializationKind());
  }

  void refuseAll(std::string what, clang::SourceLocation where) {
    uses_.obstacles.push_back({{}, std::move(what), where});
  }

  SpanObjects objects_;
  const clang::CXXRecordDecl &element_;
  SpanUses &uses_;
  std::set<clang::SourceLocation> dependent_; ///< names that depend on a template's parameter
  std::set<clang::SourceLocation> owned_;     ///< names in declarations and conversions
  clang::Decl *outermost_ = nullptr;          ///< of a namespace
  unsigned instancesAround_ = 0;
};

} // namespace

SpanUses spanUses(ParsedUnit &unit, const ArrayFlow &flow, const clang::CXXRecordDecl &element) {
  SpanUses uses;
  uses.element = &element;
  SpanVisitor visitor(unit, flow, element, uses);
  visitor.TraverseAST(unit.ast());
  visitor.finish();
  return uses;
}

} // namespace relayout::instrument
