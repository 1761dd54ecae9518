// SPDX-License-Identifier: Apache-2.0
// Looks for pointers of one group of arrays among operands that are no places in memory.
#include "structs/pointer_tests.h"

#include "relayout/trace/site_table.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/Expr.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

class TestVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  using ObjectTest = std::function<bool(const clang::Expr &object)>;

  TestVisitor(const ArrayFlow &flow, std::uint32_t group, std::string member,
              ObjectTest isInQuestion)
      : flow_(flow), group_(group), member_(std::move(member)),
        isInQuestion_(std::move(isInQuestion)) {
    ShouldVisitTemplateInstantiations = true;
  }

  [[nodiscard]] bool found() const { return found_; }

  bool TraverseFunctionDecl(clang::FunctionDecl *function) override {
    const bool isDevice =
        function->hasAttr<clang::CUDAGlobalAttr>() || function->hasAttr<clang::CUDADeviceAttr>();
    inDevice_ += isDevice;
    const bool goesOn = clang::DynamicRecursiveASTVisitor::TraverseFunctionDecl(function);
    inDevice_ -= isDevice;
    return goesOn;
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl *function) override {
    const bool isDevice = function->hasAttr<clang::CUDADeviceAttr>();
    inDevice_ += isDevice;
    const bool goesOn = clang::DynamicRecursiveASTVisitor::TraverseCXXMethodDecl(function);
    inDevice_ -= isDevice;
    return goesOn;
  }

  bool VisitCastExpr(clang::CastExpr *cast) override {
    if (cast->getCastKind() == clang::CK_PointerToBoolean ||
        cast->getCastKind() == clang::CK_PointerToIntegral)
      look(cast->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator *comparison) override {
    if (comparison->isComparisonOp() && comparison->getLHS()->getType()->isPointerType()) {
      look(comparison->getLHS());
      look(comparison->getRHS());
    }
    return true;
  }

private:
  void look(const clang::Expr *pointer) {
    if (!pointer->getType()->isPointerType() || flow_.groupOf(pointer) != group_)
      return;
    const auto *member = clang::dyn_cast<clang::MemberExpr>(pointer->IgnoreParenCasts());
    found_ |= inDevice_ != 0 || (member && member->getMemberDecl()->getName() == member_ &&
                                 isInQuestion_(*member->getBase()));
  }

  const ArrayFlow &flow_;
  std::uint32_t group_;
  std::string member_;
  ObjectTest isInQuestion_;
  int inDevice_ = 0;
  bool found_ = false;
};

} // namespace

bool isTested(const std::vector<ParsedUnit *> &units, const std::vector<ArrayFlow> &flows,
              const clang::FieldDecl &member,
              const std::function<bool(ParsedUnit &, const clang::Expr &)> &isInQuestion) {
  std::uint32_t group = trace::kNone;
  for (const ArrayFlow &flow : flows)
    if (group == trace::kNone)
      group = flow.groupOf(&member);
  if (group == trace::kNone)
    return true;
  for (std::size_t i = 0; i < units.size(); ++i) {
    TestVisitor visitor(flows[i], group, member.getNameAsString(),
                        [&](const clang::Expr &object) { return isInQuestion(*units[i], object); });
    visitor.TraverseAST(units[i]->ast());
    if (visitor.found())
      return true;
  }
  return false;
}

} // namespace relayout::instrument
