// SPDX-License-Identifier: Apache-2.0
// Reads a program for one struct type: every use of its objects joins them, or is a copy.
#include "structs/struct_objects.h"

#include "model/referents.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/compatibility.h"
#include "relayout/instrument/clang/listed_members.h"
#include "relayout/instrument/clang/symbols.h"
#include "structs/held_memory.h"
#include "structs/holder_functions.h"
#include "structs/holder_methods.h"
#include "structs/object_copies.h"
#include "structs/object_names.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;
using Names = std::vector<std::string>;

class ObjectVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  ObjectVisitor(ParsedUnit &unit, const HolderStruct &holder, const clang::CXXRecordDecl *record,
                StructObjects &objects)
      : unit_(unit), holder_(holder), record_(record), names_(unit, record),
        memory_(unit, holder, names_, objects), objects_(objects) {
    ShouldVisitTemplateInstantiations = true;
  }

  /// Both types have the variables, and each its methods.
  bool TraverseCXXRecordDecl(clang::CXXRecordDecl *record) override {
    if (record->getCanonicalDecl() != record_->getCanonicalDecl())
      return clang::DynamicRecursiveASTVisitor::TraverseCXXRecordDecl(record);
    for (clang::Decl *member : record->decls())
      if (isa<clang::CXXMethodDecl>(member))
        TraverseDecl(member);
      else if (const auto *value = dyn_cast<clang::ValueDecl>(member);
               value && !value->isImplicit() && !names_.of(value).empty())
        stop("a member names the struct itself", value->getLocation());
    return true;
  }

  bool TraverseFunctionDecl(clang::FunctionDecl *function) override {
    return inside(function, [&] {
      return clang::DynamicRecursiveASTVisitor::TraverseFunctionDecl(function);
    });
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl *function) override {
    return inside(function, [&] {
      return clang::DynamicRecursiveASTVisitor::TraverseCXXMethodDecl(function);
    });
  }
  bool TraverseCXXConstructorDecl(clang::CXXConstructorDecl *function) override {
    return inside(function, [&] {
      return clang::DynamicRecursiveASTVisitor::TraverseCXXConstructorDecl(function);
    });
  }
  bool TraverseCXXDestructorDecl(clang::CXXDestructorDecl *function) override {
    return inside(function, [&] {
      return clang::DynamicRecursiveASTVisitor::TraverseCXXDestructorDecl(function);
    });
  }
  bool TraverseLambdaExpr(clang::LambdaExpr *lambda) override {
    return inside(lambda->getCallOperator(),
                  [&] { return clang::DynamicRecursiveASTVisitor::TraverseLambdaExpr(lambda); });
  }

  // Where the type is named.

  bool VisitTagTypeLoc(clang::TagTypeLoc type) override {
    mention(type, type.getNameLoc());
    return true;
  }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc type) override {
    mention(type, type.getNameLoc());
    return true;
  }
  bool VisitUsingTypeLoc(clang::UsingTypeLoc type) override {
    mention(type, type.getNameLoc());
    return true;
  }

  bool VisitDeclaratorDecl(clang::DeclaratorDecl *declaration) override {
    const std::string name = names_.of(declaration);
    if (name.empty() || !declaration->getTypeSourceInfo())
      return true;
    clang::TypeLoc type = declaration->getTypeSourceInfo()->getTypeLoc();
    if (const auto function = type.getAsAdjusted<clang::FunctionTypeLoc>())
      type = function.getReturnLoc();
    type = innermostType(type);
    const auto place = writtenPlace(unit_, type.getEndLoc());
    if (!place || !isNamed(type))
      return true; // deduced, or of a template's parameter
    TypeMention &mention = objects_.mentions[*place];
    mention.objects.insert(name);
    const bool isKnown = std::ranges::any_of(mention.declarators, [&](const TypedDeclarator &d) {
      return d.declaration->getLocation() == declaration->getLocation() || d.object == name;
    });
    if (!isKnown)
      mention.declarators.push_back({name, &unit_, declaration, standsAlone(*declaration)});
    return true;
  }

  bool VisitTypedefNameDecl(clang::TypedefNameDecl *alias) override {
    if (isUsersPlace(alias->getLocation()) && names_.leadsTo(alias->getUnderlyingType()) &&
        !alias->getTypeSourceInfo()->getTypeLoc().getType()->isDependentType()) {
      const auto tag =
          innermostType(alias->getTypeSourceInfo()->getTypeLoc()).getAs<clang::TagTypeLoc>();
      if (!tag || !tag.isDefinition())
        stop("the struct has another name", alias->getLocation());
    }
    return true;
  }

  /// `using space::S;`
  bool VisitUsingDecl(clang::UsingDecl *names) override {
    for (const clang::UsingShadowDecl *shadow : names->shadows())
      if (const auto *record = dyn_cast<clang::CXXRecordDecl>(shadow->getTargetDecl());
          record && record->getCanonicalDecl() == record_->getCanonicalDecl())
        if (const auto place = filePlace(unit_, names->getLocation()))
          objects_.usings.insert(*place);
    return true;
  }

  /// `template <> struct Trait<S>`, which is not one for the second type.
  bool
  VisitClassTemplateSpecializationDecl(clang::ClassTemplateSpecializationDecl *instance) override {
    if (!instance->isExplicitInstantiationOrSpecialization() ||
        !isUsersPlace(instance->getLocation()))
      return true;
    for (const clang::TemplateArgument &argument : instance->getTemplateArgs().asArray())
      if (argument.getKind() == clang::TemplateArgument::Type &&
          names_.leadsTo(argument.getAsType()))
        stop("a template is specialized for it", instance->getLocation());
    return true;
  }

  /// `kernel<S><<<1, 1>>>(s)`
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    const auto *function = dyn_cast<clang::FunctionDecl>(name->getDecl());
    if (!function)
      return true;
    if (functionOf(function) && !called_.contains(name))
      stop("a function that is given it is used as a value", name->getLocation());
    if (isMethodOf(*record_, function) && !called_.contains(name) &&
        dyn_cast<clang::CXXMethodDecl>(function)->isInstance())
      stop("a method of it is used as a value", name->getLocation());
    for (const clang::TemplateArgumentLoc &argument : name->template_arguments()) {
      const clang::TypeSourceInfo *type =
          argument.getArgument().getKind() == clang::TemplateArgument::Type
              ? argument.getTypeSourceInfo()
              : nullptr;
      const std::string written = type ? names_.ofWritten(type->getTypeLoc()) : std::string();
      join(written, names_.of(function), name->getExprLoc());
      for (const clang::ParmVarDecl *parameter : function->parameters())
        join(written, names_.of(parameter), name->getExprLoc());
    }
    return true;
  }

  // Where one object becomes, or leads to, another.

  bool VisitVarDecl(clang::VarDecl *variable) override {
    const std::string name = names_.of(variable);
    if (name.empty())
      return true;
    if (variable->hasAttr<clang::CUDADeviceAttr>() ||
        variable->hasAttr<clang::CUDAConstantAttr>() ||
        variable->hasAttr<clang::CUDASharedAttr>() || isInDeviceCode(*variable))
      memory_.onDevice(name, variable->getLocation());
    if (variable->hasInit() && !copied_.contains(variable->getInit()))
      join(name, variable->getInit());
    if (const auto *list = variable->hasInit() ? dyn_cast<clang::InitListExpr>(
                                                     variable->getInit()->IgnoreImplicit())
                                               : nullptr;
        list && isObject(variable->getType()))
      giveListedMembers(*list, [&](const clang::FieldDecl *field, const clang::Expr *value) {
        if (holder_.fields.contains(field->getNameAsString()))
          memory_.noteGiven({name}, *value);
      });
    if (const auto *made = variable->hasInit() ? dyn_cast<clang::CXXConstructExpr>(
                                                     variable->getInit()->IgnoreImplicit())
                                               : nullptr) {
      constructed_.insert(made);
      callOn({name}, made->getConstructor(), made->getExprLoc());
    }
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (const std::string name = names_.of(function); !name.empty() && isDeviceCode(*function))
      memory_.onDevice(name, function->getLocation());
    return true;
  }

  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt *loop) override {
    const std::string name = names_.of(loop->getLoopVariable());
    if (name.empty())
      return true;
    if (names_.leadsTo(loop->getRangeInit()->getType()))
      join(name, loop->getRangeInit());
    else
      join(name, std::string(kOfLibrary), loop->getForLoc());
    return true;
  }

  bool VisitFieldDecl(clang::FieldDecl *field) override {
    if (const std::string name = names_.of(field); !name.empty() && field->getInClassInitializer())
      join(name, field->getInClassInitializer());
    return true;
  }

  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl *constructor) override {
    for (const clang::CXXCtorInitializer *initialiser : constructor->inits()) {
      if (!initialiser->isMemberInitializer())
        continue;
      if (const std::string name = names_.of(initialiser->getMember()); !name.empty())
        join(name, initialiser->getInit());
      if (isMethodOf(*record_, constructor) &&
          holder_.fields.contains(initialiser->getMember()->getNameAsString()))
        memory_.noteGiven({thisOf(symbolOf(unit_, constructor->getCanonicalDecl()))},
                          *initialiser->getInit());
    }
    return true;
  }

  bool VisitReturnStmt(clang::ReturnStmt *statement) override {
    if (!functions_.empty() && statement->getRetValue())
      if (const std::string name = names_.of(functions_.back()); !name.empty())
        join(name, statement->getRetValue());
    return true;
  }

  bool VisitInitListExpr(clang::InitListExpr *list) override {
    giveListedMembers(*list, [this](const clang::FieldDecl *field, const clang::Expr *value) {
      if (const std::string name = names_.of(field); !name.empty())
        join(name, value);
    });
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *binary) override {
    if ((binary->isAssignmentOp() || binary->isComparisonOp()) &&
        names_.leadsTo(binary->getLHS()->getType()) && names_.leadsTo(binary->getRHS()->getType()))
      joinAll({binary->getLHS(), binary->getRHS()});
    if (binary->getOpcode() == clang::BO_Assign)
      memory_.noteAssignment(*binary);
    return true;
  }

  bool VisitAbstractConditionalOperator(clang::AbstractConditionalOperator *choice) override {
    if (names_.leadsTo(choice->getType()))
      joinAll({choice->getTrueExpr(), choice->getFalseExpr()});
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construction) override {
    const clang::CXXConstructorDecl *callee = construction->getConstructor();
    const bool isOwn = isMethodOf(*record_, callee);
    if (!isOwn || !isOfEveryObject(*callee))
      joinArguments(callee, {construction->getArgs(), construction->getNumArgs()}, {});
    if (isOwn && !constructed_.contains(construction)) {
      Names made;
      if (isa<clang::CXXTemporaryObjectExpr>(construction))
        names_.refer(construction, made);
      callOn(made, callee, construction->getExprLoc());
    }
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    memory_.noteAllocation(*call);
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(call->getCallee()->IgnoreImpCasts()))
      called_.insert(name);
    if (isa<clang::CUDAKernelCallExpr>(call))
      for (const clang::Expr *argument : call->arguments())
        memory_.noteKernelArgument(*argument);
    if (copied_.contains(call)) {
      Names sizes; // the object that it fills has the type in `sizeof`
      for (const clang::Expr *argument : call->arguments())
        names_.referSizes(argument, sizes);
      for (std::string &size : sizes)
        join(size, call->getArg(0));
      return true;
    }
    const std::string name = standardName(call);
    llvm::ArrayRef<const clang::Expr *> arguments(call->getArgs(), call->getNumArgs());
    const clang::FunctionDecl *callee = call->getDirectCallee();
    const auto *method = callee ? dyn_cast<clang::CXXMethodDecl>(callee) : nullptr;
    if (isa<clang::CXXOperatorCallExpr>(call) && method && !arguments.empty()) {
      if (isMethodOf(*record_, method)) {
        if (isOfEveryObject(*method)) {
          joinAll(arguments); // its own assignment
          return true;
        }
        callOn(*arguments.front(), *method);
      }
      arguments = arguments.drop_front();
    }
    if (const auto *member = dyn_cast<clang::CXXMemberCallExpr>(call);
        member && method && isMethodOf(*record_, method))
      callOn(*member->getImplicitObjectArgument(), *method);
    if (isOneOf(name, {"swap", "exchange"}))
      joinAll(arguments);
    else if (!isOneOf(name, {"move", "forward", "addressof", "launder"}))
      joinArguments(callee, arguments, call);
    return true;
  }

  bool VisitCompoundStmt(clang::CompoundStmt *block) override {
    std::size_t index = 0;
    for (const clang::Stmt *statement : block->body()) {
      if (const auto *declaration = dyn_cast<clang::DeclStmt>(statement))
        for (const clang::Decl *declared : declaration->decls())
          inBlocks_.insert(declared);
      noteCopy(*block, index++);
    }
    return true;
  }

  // What pointers lead to.

  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr *subscript) override {
    noteUse(*subscript->getBase());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator *unary) override {
    if (unary->getOpcode() == clang::UO_Deref)
      noteUse(*unary->getSubExpr());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr *member) override {
    if (member->isArrow())
      noteUse(*member->getBase());
    return true;
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr *expression) override {
    noteUse(*expression->getArgument());
    return true;
  }

  void finish() { memory_.finish(); }

private:
  template <class Traverse> bool inside(const clang::FunctionDecl *function, Traverse traverse) {
    const auto *method = dyn_cast<clang::CXXMethodDecl>(function);
    const bool isOwn = isMethodOf(*record_, function);
    if (isOwn && !isOfOneType(*method))
      return true;
    if (!isUsersPlace(function->getLocation()) || functionOf(function))
      return true;
    if (isOwn) {
      const std::string object = thisOf(symbolOf(unit_, method->getCanonicalDecl()));
      names_.callThis(object);
      if (const clang::NestedNameSpecifierLoc scope = method->getQualifierLoc())
        join(names_.ofWritten(compatibility::typeOf(scope)), object, method->getLocation());
      if (isDeviceCode(*method))
        memory_.onDevice(object, method->getLocation());
    }
    functions_.push_back(function);
    const bool goesOn = traverse();
    functions_.pop_back();
    if (isOwn)
      names_.callThis({});
    return goesOn;
  }

  /// Null: it is none that works on any object.
  HolderFunction *functionOf(const clang::FunctionDecl *function) const {
    const auto known = function && !isa<clang::CXXMethodDecl>(function)
                           ? objects_.functions.find(symbolOf(unit_, function->getCanonicalDecl()))
                           : objects_.functions.end();
    return known == objects_.functions.end() ? nullptr : &known->second;
  }

  bool isOfOneType(const clang::CXXMethodDecl &method) const {
    const auto known = objects_.methods.find(symbolOf(unit_, method.getCanonicalDecl()));
    return !method.isImplicit() && known != objects_.methods.end() && known->second.isOfOneType;
  }

  bool isInHostCode() const {
    return functions_.empty() || (!functions_.back()->hasAttr<clang::CUDADeviceAttr>() &&
                                  !functions_.back()->hasAttr<clang::CUDAGlobalAttr>());
  }

  void noteUse(const clang::Expr &pointer) {
    if (isInHostCode())
      memory_.noteHostUse(pointer);
  }

  void callOn(const clang::Expr &object, const clang::CXXMethodDecl &method) {
    Names names;
    names_.refer(&object, names);
    callOn(names, &method, object.getExprLoc());
  }
  void callOn(const Names &objects, const clang::CXXMethodDecl *method,
              clang::SourceLocation where) {
    const auto known = objects_.methods.find(symbolOf(unit_, method->getCanonicalDecl()));
    if (known == objects_.methods.end())
      return;
    known->second.objects.insert(objects.begin(), objects.end());
    if (known->second.isOfOneType && method->isInstance() && objects.empty())
      stop(fmt::format("'{}' is called on an object without a name", method->getNameAsString()),
           where);
    for (const std::string &object : objects)
      if (known->second.isOfOneType)
        join(object, thisOf(known->first), where);
      else if (known->second.followsPointers && isInHostCode())
        memory_.onHost(object, where);
  }

  bool isUsersPlace(clang::SourceLocation where) const {
    const clang::SourceManager &sources = unit_.sources();
    return where.isValid() && unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(where)));
  }

  void stop(std::string why, clang::SourceLocation where) {
    if (!objects_.obstacle)
      objects_.obstacle = {std::move(why), unit_.place(where)};
  }

  static bool isDeviceCode(const clang::FunctionDecl &function) {
    return function.hasAttr<clang::CUDAGlobalAttr>() ||
           (function.hasAttr<clang::CUDADeviceAttr>() && !function.hasAttr<clang::CUDAHostAttr>());
  }

  static bool isInDeviceCode(const clang::VarDecl &variable) {
    const auto *function = dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
    return function && isDeviceCode(*function);
  }

  static bool isNamed(clang::TypeLoc type) {
    return type.getAs<clang::TagTypeLoc>() || type.getAs<clang::TypedefTypeLoc>() ||
           type.getAs<clang::UsingTypeLoc>();
  }

  bool standsAlone(const clang::DeclaratorDecl &declaration) const {
    if (isa<clang::FieldDecl>(declaration))
      return true;
    const auto *variable = dyn_cast<clang::VarDecl>(&declaration);
    return variable && !isa<clang::ParmVarDecl>(variable) &&
           (variable->isFileVarDecl() || inBlocks_.contains(variable));
  }

  void mention(clang::TypeLoc type, clang::SourceLocation name) {
    const clang::CXXRecordDecl *record = type.getType()->getAsCXXRecordDecl();
    if (!record || record->getCanonicalDecl() != record_->getCanonicalDecl())
      return;
    const auto tag = type.getAs<clang::TagTypeLoc>();
    const bool isDefinition = tag && tag.isDefinition();
    const auto place = writtenPlace(unit_, name);
    if (!place && !isDefinition && isUsersPlace(name))
      return stop("a macro names it", name);
    if (place)
      objects_.mentions[*place].isDefinition |= isDefinition;
  }

  void join(const std::string &a, std::string b, clang::SourceLocation where) {
    if (!a.empty() && !b.empty() && a != b)
      objects_.joins.push_back({a, std::move(b), unit_.place(where)});
  }

  void join(const std::string &name, const clang::Expr *value) {
    Names others;
    names_.refer(value, others);
    for (std::string &other : others)
      join(name, std::move(other), value->getExprLoc());
  }

  void joinAll(llvm::ArrayRef<const clang::Expr *> values) {
    Names all;
    for (const clang::Expr *value : values)
      names_.refer(value, all);
    for (std::size_t i = 1; i < all.size(); ++i)
      join(all.front(), all[i], values.front()->getExprLoc());
  }

  /// \param call  null for a constructor
  void joinArguments(const clang::FunctionDecl *callee,
                     llvm::ArrayRef<const clang::Expr *> arguments, const clang::CallExpr *call) {
    if (HolderFunction *function = functionOf(callee)) {
      Names given;
      names_.refer(arguments[function->object], given);
      function->objects.insert(given.begin(), given.end());
      if (function->followsPointers && isInHostCode())
        for (const std::string &object : given)
          memory_.onHost(object, arguments[function->object]->getExprLoc());
      if (given.empty())
        stop("a function is given an object without a name", arguments.front()->getExprLoc());
      return;
    }
    const bool isOfUser = callee && isUsers(unit_, *callee);
    const bool isOfCuda = call && cudaCallNamed(calleeName(call));
    Names all, sizes;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const clang::ParmVarDecl *parameter =
          callee && i < callee->getNumParams() ? callee->getParamDecl(i) : nullptr;
      const std::string taker = isOfUser && parameter ? names_.of(parameter) : std::string();
      const bool isOfLibrary =
          !isOfUser && !isOfCuda && parameter && names_.leadsTo(parameter->getType());
      names_.referSizes(arguments[i], sizes);
      Names given;
      names_.refer(arguments[i], given);
      for (std::string &name : given) {
        if (!taker.empty() || isOfLibrary)
          join(taker.empty() ? kOfLibrary : taker, name, arguments[i]->getExprLoc());
        all.push_back(std::move(name));
      }
    }
    // One function is given bytes of objects; of one of the user's, with their size beside it.
    if (!isOfUser || all.size() == 1)
      std::ranges::move(sizes, std::back_inserter(all));
    for (std::size_t i = 1; i < all.size() && (!isOfUser || !sizes.empty()); ++i)
      join(all.front(), all[i], arguments.front()->getExprLoc());
  }

  void noteCopy(const clang::CompoundStmt &block, std::size_t index) {
    if (functions_.empty() || functions_.back()->isTemplated() ||
        functions_.back()->isTemplateInstantiation() || isDeviceCode(*functions_.back()))
      return;
    if (const std::optional<CopiedObject> copy =
            copiedBytesAt(block, index, *record_, holder_.fields)) {
      Names from;
      names_.refer(copy->value, from);
      const std::string into = names_.of(copy->variable);
      if (from.size() == 1 && !into.empty()) {
        copied_.insert(copy->whole);
        objects_.copies.push_back({&unit_, into, from.front(), copy->variable, copy->value, &block,
                                   index, unit_.place(copy->value->getExprLoc()),
                                   dyn_cast<clang::CallExpr>(copy->whole)});
      }
      return;
    }
    const std::optional<CopiedObject> copy = copyAt(block, index);
    if (!copy || !isObject(copy->variable->getType()) || !isObject(copy->value->getType()))
      return;
    Names from;
    names_.refer(copy->value, from);
    if (from.size() != 1)
      return;
    copied_.insert(copy->whole);
    objects_.copies.push_back({&unit_, names_.of(copy->variable), from.front(), copy->variable,
                               copy->value, &block, index, unit_.place(copy->value->getExprLoc())});
  }

  bool isObject(clang::QualType type) const {
    const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
    return record && record->getCanonicalDecl() == record_->getCanonicalDecl();
  }

  ParsedUnit &unit_;
  const HolderStruct &holder_;
  const clang::CXXRecordDecl *record_;
  ObjectNames names_;
  HeldMemory memory_;
  StructObjects &objects_;
  std::vector<const clang::FunctionDecl *> functions_; ///< around what is visited
  std::set<const clang::Expr *> copied_;               ///< initialisers that are ObjectCopies
  std::set<const clang::Expr *> constructed_;          ///< initialisers of variables
  std::set<const clang::DeclRefExpr *> called_;        ///< names of what is called
  std::set<const clang::Decl *> inBlocks_;
};

/// What functions are given, those that they call are given, and methods are called on.
void spread(StructObjects &objects) {
  for (bool changes = true; changes;) {
    changes = false;
    for (const auto &[symbol, function] : objects.functions)
      for (const std::string &callee : function.callees)
        for (const std::string &object : function.objects)
          changes |= objects.functions.at(callee).objects.insert(object).second;
  }
  for (const auto &[symbol, function] : objects.functions) {
    const auto &[unit, declaration] = function.declarations.front();
    for (const std::string &name : function.methods)
      if (const auto method = objects.methods.find(name); method != objects.methods.end())
        for (const std::string &object : function.objects) {
          if (method->second.isOfOneType)
            objects.joins.push_back(
                {object, thisOf(name), unit->place(declaration->getLocation())});
          else
            method->second.objects.insert(object);
        }
  }
}

} // namespace

StructObjects objectsOf(const HolderStruct &holder, const std::vector<ParsedUnit *> &units) {
  StructObjects objects;
  objects.methods = methodsOf(holder, units);
  objects.functions = functionsOf(holder, units, objects.methods);
  for (std::size_t i = 0; i < units.size(); ++i)
    if (const clang::CXXRecordDecl *record = holder.definitions[i]) {
      ObjectVisitor visitor(*units[i], holder, record, objects);
      visitor.TraverseAST(units[i]->ast());
      visitor.finish();
    }
  spread(objects);
  return objects;
}

} // namespace relayout::instrument
