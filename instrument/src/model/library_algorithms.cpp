// SPDX-License-Identifier: Apache-2.0
// The table of algorithms, and the positions of their iterators.
#include "relayout/instrument/clang/library_algorithms.h"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Where the iterators of a result point.
enum class PointsTo {
  None,   ///< there are none
  First,  ///< into the first range
  Output, ///< into the last one of its type
  Pair,   ///< two, into the ranges of two arguments
};

struct Algorithm {
  std::string_view name;
  PointsTo result = PointsTo::None;
  /// Arguments of a pair, without the policy; negative: from the end.
  std::array<int, 2> pair = {0, 0};
};

/// `reduce_by_key(keys, keysEnd, values, keysOut, valuesOut, …)`
constexpr std::array<int, 2> kBehindTheValues = {3, 4};
/// `partition_copy(…, trueOut, falseOut, predicate)`
constexpr std::array<int, 2> kBeforeThePredicate = {-3, -2};

// What keeps addresses, constructs elements, or compares them with values of other types by an
// operator that a template finds (find, count, remove, replace) is not among them.
constexpr Algorithm kAlgorithms[] = {
    {"adjacent_difference", PointsTo::Output},
    {"all_of"},
    {"any_of"},
    {"binary_search"},
    {"copy", PointsTo::Output},
    {"copy_if", PointsTo::Output},
    {"copy_n", PointsTo::Output},
    {"count_if"},
    {"equal"},
    {"exclusive_scan", PointsTo::Output},
    {"exclusive_scan_by_key", PointsTo::Output},
    {"fill"},
    {"fill_n", PointsTo::First},
    {"find_if", PointsTo::First},
    {"find_if_not", PointsTo::First},
    {"for_each", PointsTo::First},
    {"for_each_n", PointsTo::First},
    {"gather", PointsTo::Output},
    {"gather_if", PointsTo::Output},
    {"generate"},
    {"inclusive_scan", PointsTo::Output},
    {"inclusive_scan_by_key", PointsTo::Output},
    {"inner_product"},
    {"is_partitioned"},
    {"is_sorted"},
    {"is_sorted_until", PointsTo::First},
    {"lower_bound", PointsTo::First},
    {"max_element", PointsTo::First},
    {"merge", PointsTo::Output},
    {"min_element", PointsTo::First},
    {"minmax_element", PointsTo::Pair, {0, 0}},
    {"mismatch", PointsTo::Pair, {0, 2}},
    {"none_of"},
    {"partition", PointsTo::First},
    {"partition_copy", PointsTo::Pair, kBeforeThePredicate},
    {"partition_point", PointsTo::First},
    {"reduce"},
    {"reduce_by_key", PointsTo::Pair, kBehindTheValues},
    {"remove_copy_if", PointsTo::Output},
    {"remove_if", PointsTo::First},
    {"replace_if"},
    {"reverse"},
    {"reverse_copy", PointsTo::Output},
    {"scatter"},
    {"scatter_if"},
    {"set_difference", PointsTo::Output},
    {"set_intersection", PointsTo::Output},
    {"set_symmetric_difference", PointsTo::Output},
    {"set_union", PointsTo::Output},
    {"sort"},
    {"sort_by_key"},
    {"stable_partition", PointsTo::First},
    {"stable_partition_copy", PointsTo::Pair, kBeforeThePredicate},
    {"stable_sort"},
    {"stable_sort_by_key"},
    {"swap_ranges", PointsTo::Output},
    {"tabulate"},
    {"transform", PointsTo::Output},
    {"transform_exclusive_scan", PointsTo::Output},
    {"transform_if", PointsTo::Output},
    {"transform_inclusive_scan", PointsTo::Output},
    {"transform_reduce"},
    {"unique", PointsTo::First},
    {"unique_by_key", PointsTo::Pair, {0, 2}},
    {"unique_by_key_copy", PointsTo::Pair, kBehindTheValues},
    {"unique_copy", PointsTo::Output},
    {"upper_bound", PointsTo::First},
};

// These are told where they put what they make, and run on the device. Unique and Encode compare
// copies of elements by the program's `==`. Those that add or order elements by themselves (Sum,
// Min, ArgMax) and those that take pointers to values of any type (DeviceRadixSort) are not among
// them.
constexpr std::string_view kAlgorithmsOfCub[] = {
    "DeviceFor::ForEach",
    "DeviceFor::ForEachCopy",
    "DeviceFor::ForEachCopyN",
    "DeviceFor::ForEachN",
    "DeviceMergeSort::SortKeys",
    "DeviceMergeSort::SortKeysCopy",
    "DeviceMergeSort::SortPairs",
    "DeviceMergeSort::SortPairsCopy",
    "DeviceMergeSort::StableSortKeys",
    "DeviceMergeSort::StableSortKeysCopy",
    "DeviceMergeSort::StableSortPairs",
    "DevicePartition::Flagged",
    "DevicePartition::If",
    "DeviceReduce::Reduce",
    "DeviceReduce::ReduceByKey",
    "DeviceReduce::TransformReduce",
    "DeviceRunLengthEncode::Encode",
    "DeviceScan::ExclusiveScan",
    "DeviceScan::ExclusiveScanByKey",
    "DeviceScan::InclusiveScan",
    "DeviceScan::InclusiveScanByKey",
    "DeviceScan::InclusiveScanInit",
    "DeviceSegmentedReduce::Reduce",
    "DeviceSelect::Flagged",
    "DeviceSelect::FlaggedIf",
    "DeviceSelect::If",
    "DeviceSelect::Unique",
    "DeviceSelect::UniqueByKey",
};

const Algorithm *algorithmNamed(std::string_view name) {
  const auto *found = std::ranges::find(kAlgorithms, name, &Algorithm::name);
  return found == std::end(kAlgorithms) ? nullptr : found;
}

const clang::Expr *withoutImplicit(const clang::Expr &expression) {
  return expression.IgnoreParens()->IgnoreImplicit();
}

const clang::CXXRecordDecl *classOfArgument(const clang::Expr &expression) {
  const clang::CXXRecordDecl *record =
      withoutImplicit(expression)->getType().getNonReferenceType()->getAsCXXRecordDecl();
  return record ? record->getDefinition() : nullptr;
}

/// The class and its bases.
template <class Test> bool isOrInherits(const clang::CXXRecordDecl &record, const Test &test) {
  return test(record) ||
         std::ranges::any_of(record.bases(), [&](const clang::CXXBaseSpecifier &base) {
           const clang::CXXRecordDecl *own = base.getType()->getAsCXXRecordDecl();
           return own && own->getDefinition() && isOrInherits(*own->getDefinition(), test);
         });
}

bool isPolicy(const clang::Expr &argument) {
  const clang::CXXRecordDecl *record = classOfArgument(argument);
  return record && isOrInherits(*record, [](const clang::CXXRecordDecl &own) {
           return own.getIdentifier() && own.getName() == "execution_policy_base" &&
                  isOfThrust(own);
         });
}

/// The argument of that type, the first or the last.
const clang::Expr *argumentOfType(const AlgorithmCall &call, clang::QualType type, bool isLast) {
  const clang::Expr *found = nullptr;
  for (const clang::Expr *argument : call.arguments)
    if (argument->getType().getNonReferenceType().getCanonicalType().getUnqualifiedType() ==
        type.getCanonicalType().getUnqualifiedType()) {
      found = argument;
      if (!isLast)
        break;
    }
  return found;
}

const clang::Expr *memberOf(const clang::MemberExpr &member) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(withoutImplicit(*member.getBase()));
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  const clang::Expr *made = variable ? variable->getInit() : member.getBase();
  if (!made || !member.getMemberDecl()->getDeclName().isIdentifier())
    return nullptr;
  made = withoutImplicit(*made);
  if (const auto *copy = dyn_cast<clang::CXXConstructExpr>(made);
      copy && copy->getNumArgs() == 1 && copy->getConstructor()->isCopyOrMoveConstructor())
    made = withoutImplicit(*copy->getArg(0));
  const auto *call = dyn_cast<clang::CallExpr>(made);
  const AlgorithmCall known = call ? algorithmCallOf(*call) : AlgorithmCall();
  const Algorithm *algorithm = algorithmNamed(known.name);
  const llvm::StringRef which = member.getMemberDecl()->getName();
  if (!algorithm || algorithm->result != PointsTo::Pair || (which != "first" && which != "second"))
    return nullptr;
  const int position = algorithm->pair[which == "second" ? 1 : 0];
  const int count = static_cast<int>(known.arguments.size());
  const int index = position < 0 ? count + position : position;
  return index >= 0 && index < count ? known.arguments[static_cast<std::size_t>(index)] : nullptr;
}

/// \param library  a namespace
bool isOf(const clang::Decl &declaration, llvm::StringRef library) {
  for (const clang::DeclContext *scope = declaration.getDeclContext(); scope;
       scope = scope->getParent())
    if (const auto *space = dyn_cast<clang::NamespaceDecl>(scope);
        space && space->getName() == library)
      return true;
  return false;
}

/// \param method  static, of a class of CUB's
AlgorithmCall callOfCub(const clang::CallExpr &call, const clang::CXXMethodDecl &method) {
  AlgorithmCall known;
  if (!method.getDeclName().isIdentifier() || !method.getParent()->getIdentifier())
    return known;
  known.isOfCub = true;
  known.name = (method.getParent()->getName() + "::" + method.getName()).str();
  known.isKnown = std::ranges::find(kAlgorithmsOfCub, known.name) != std::end(kAlgorithmsOfCub);
  known.givesReferences = known.name == "DeviceFor::ForEach" || known.name == "DeviceFor::ForEachN";
  known.arguments.assign(call.arg_begin(), call.arg_end());
  return known;
}

} // namespace

bool holdsAlgorithms(const clang::NamespaceDecl &space) {
  return space.getName() == "thrust" || space.getName() == "cub";
}

bool isOfThrust(const clang::Decl &declaration) { return isOf(declaration, "thrust"); }

std::string nameOf(const AlgorithmCall &call) {
  return (call.isOfCub ? "cub::" : "thrust::") + call.name;
}

AlgorithmCall algorithmCallOf(const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  AlgorithmCall known;
  if (const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(callee);
      method && method->isStatic() && isOf(*method, "cub"))
    return callOfCub(call, *method);
  if (!callee || isa<clang::CXXMethodDecl>(callee) || !callee->getDeclName().isIdentifier() ||
      isa<clang::CXXOperatorCallExpr>(call) || !isOfThrust(*callee))
    return known;
  known.name = callee->getName().str();
  known.isIteratorMaker = known.name == "make_transform_iterator";
  known.isKnown = known.isIteratorMaker || algorithmNamed(known.name);
  known.givesReferences = known.name == "for_each" || known.name == "for_each_n";
  for (const clang::Expr *argument : call.arguments())
    if (argument == call.getArg(0) && isPolicy(*argument))
      known.policy = argument;
    else
      known.arguments.push_back(argument);
  return known;
}

bool runsOnDevice(const clang::Expr &policy, bool isInDeviceCode) {
  const clang::CXXRecordDecl *record = classOfArgument(policy);
  return record && !isOrInherits(*record, [&](const clang::CXXRecordDecl &own) {
           return own.getIdentifier() &&
                  (own.getName() == "host_t" || (own.getName() == "seq_t" && !isInDeviceCode));
         });
}

const clang::Expr *pointedInto(const clang::Expr &result) {
  const clang::Expr *expression = withoutImplicit(result);
  if (const auto *member = dyn_cast<clang::MemberExpr>(expression))
    return memberOf(*member);
  const auto *call = dyn_cast<clang::CallExpr>(expression);
  const AlgorithmCall known = call ? algorithmCallOf(*call) : AlgorithmCall();
  const Algorithm *algorithm = algorithmNamed(known.name);
  if (!algorithm || (algorithm->result != PointsTo::First && algorithm->result != PointsTo::Output))
    return nullptr;
  return argumentOfType(known, call->getType(), algorithm->result == PointsTo::Output);
}

FunctionObject functionObject(const clang::Expr &argument) {
  FunctionObject object;
  const clang::QualType type = withoutImplicit(argument)->getType().getNonReferenceType();
  if (type->isFunctionType() || type->isFunctionPointerType() || type->isMemberPointerType()) {
    object.isUnclear = true;
    return object;
  }
  const clang::CXXRecordDecl *record = classOfArgument(argument);
  if (!record)
    return object;
  (void)isOrInherits(*record, [&](const clang::CXXRecordDecl &own) {
    for (const clang::Decl *member : own.decls()) {
      if (const auto *shadow = dyn_cast<clang::UsingShadowDecl>(member))
        member = shadow->getTargetDecl();
      const auto *pattern = dyn_cast<clang::FunctionTemplateDecl>(member);
      const auto *method =
          dyn_cast<clang::CXXMethodDecl>(pattern ? pattern->getTemplatedDecl() : member);
      if (!method || method->getOverloadedOperator() != clang::OO_Call)
        continue;
      object.isUnclear |= pattern != nullptr;
      object.calls.push_back(method);
    }
    return false;
  });
  return object;
}

bool takesElement(const clang::ParmVarDecl &parameter, const clang::CXXRecordDecl &record) {
  const clang::CXXRecordDecl *type =
      parameter.getType().getNonReferenceType()->getAsCXXRecordDecl();
  return type && (type->getCanonicalDecl() == record.getCanonicalDecl() ||
                  (type->getDefinition() && record.getDefinition() &&
                   record.getDefinition()->isDerivedFrom(type->getDefinition())));
}

std::vector<const clang::ParmVarDecl *> changedThrough(const AlgorithmCall &call,
                                                       const clang::CXXRecordDecl &record) {
  std::vector<const clang::ParmVarDecl *> changed;
  if (!call.givesReferences)
    return changed;
  for (const clang::Expr *argument : call.arguments)
    for (const clang::CXXMethodDecl *function : functionObject(*argument).calls)
      for (const clang::ParmVarDecl *parameter : function->parameters())
        if (parameter->getType()->isLValueReferenceType() &&
            !parameter->getType().getNonReferenceType().isConstQualified() &&
            takesElement(*parameter, record))
          changed.push_back(parameter);
  return changed;
}

} // namespace relayout::instrument
