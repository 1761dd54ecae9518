// SPDX-License-Identifier: Apache-2.0
// Sorts Clang's errors: see the header.
#include "parse/parse_faults.h"

#include "parse/presumed_place.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/CharInfo.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>

#include <utility>

namespace relayout::instrument {
namespace {

/// As host_defines.h has it.
constexpr llvm::StringRef kSharedName = "relayout_shared";

/// Algorithms of Thrust and CUB call functors that are for the device alone, which is right where
/// both sides are one. So do functions for both sides, in text that __CUDA_ARCH__ selects.
bool isRightDeviceCall(const clang::Diagnostic &info, Pass pass) {
  if (info.getID() != clang::diag::err_ref_bad_target)
    return false;
  return pass == Pass::Device ||
         (info.hasSourceManager() && info.getSourceManager().isInSystemHeader(info.getLocation()));
}

/// A function for the device alone that host code names and does not call, for nvcc gives it an
/// address there.
bool isAddressOfDeviceFunction(const clang::Diagnostic &info) {
  constexpr unsigned kTarget = 0, kNamed = 2;
  if (info.getID() != clang::diag::err_ref_bad_target ||
      info.getRawArg(kTarget) != static_cast<std::uint64_t>(clang::CUDAFunctionTarget::Device) ||
      info.getArgKind(kNamed) != clang::DiagnosticsEngine::ak_nameddecl)
    return false;
  const auto *function =
      clang::dyn_cast<clang::FunctionDecl>(reinterpret_cast<const clang::NamedDecl *>(
          static_cast<std::uintptr_t>(info.getRawArg(kNamed))));
  if (!function || !function->getDeclName().isIdentifier())
    return false;
  const clang::SourceManager &sources = info.getSourceManager();
  const clang::SourceLocation name = sources.getSpellingLoc(info.getLocation());
  const llvm::StringRef text =
      sources.getBufferData(sources.getFileID(name))
          .substr(sources.getFileOffset(name))
          .drop_while([](char c) { return clang::isAsciiIdentifierContinue(c); })
          .ltrim();
  return !text.starts_with("("); // else it is called
}

/// A label of a switch behind a variable with a value, which nvcc takes in device code.
bool isJumpIntoScope(const clang::Diagnostic &info) {
  return info.getID() == clang::diag::err_switch_into_protected_scope;
}

/// `T __restrict__ *p` with a name T of a struct, which means nothing to nvcc.
bool isIdleRestrict(const clang::Diagnostic &info) {
  return info.getID() == clang::diag::err_typecheck_invalid_restrict_not_pointer ||
         info.getID() == clang::diag::err_typecheck_invalid_restrict_not_pointer_noarg;
}

/// Of an array of variable length that has its start values beside it.
bool isConstantWithValuesBeside(const clang::Diagnostic &info) {
  if (info.getID() != clang::diag::err_default_init_const)
    return false;
  const auto type = clang::QualType::getFromOpaquePtr(
      reinterpret_cast<const void *>(static_cast<std::uintptr_t>(info.getRawArg(0))));
  return type->isVariableArrayType();
}

/// `char (*rows)[n] = (char (*)[n])memory`.
bool isCastToOwnType(const clang::Diagnostic &info) {
  if (info.getID() != clang::diag::err_init_conversion_failed)
    return false;
  std::vector<std::string> types;
  for (unsigned i = 0; i < info.getNumArgs(); ++i)
    if (info.getArgKind(i) == clang::DiagnosticsEngine::ak_qualtype) {
      const auto type = clang::QualType::getFromOpaquePtr(
          reinterpret_cast<const void *>(static_cast<std::uintptr_t>(info.getRawArg(i))));
      if (!type->isPointerType() || !type->isVariablyModifiedType())
        return false;
      types.push_back(type.getCanonicalType().getAsString());
    }
  return types.size() == 2 && types.front() == types.back();
}

bool findsNoFunction(unsigned id) {
  return id == clang::diag::err_ovl_no_viable_function_in_call ||
         id == clang::diag::err_ovl_no_viable_member_function_in_call ||
         id == clang::diag::err_ovl_no_viable_function_in_init;
}

/// \param note  of a candidate for the other side
bool isCall(const clang::Diagnostic &note, clang::CUDAFunctionTarget caller,
            clang::CUDAFunctionTarget callee) {
  constexpr unsigned kCallee = 3, kCaller = 4;
  const auto isTarget = [&](unsigned argument, clang::CUDAFunctionTarget target) {
    return note.getRawArg(argument) == static_cast<std::uint64_t>(target);
  };
  return note.getNumArgs() > kCaller && isTarget(kCallee, callee) && isTarget(kCaller, caller);
}

bool isDifferingDeclaration(unsigned id) {
  return id == clang::diag::err_member_decl_does_not_match ||
         id == clang::diag::err_cuda_ovl_target;
}

class SharedVariables : public clang::DynamicRecursiveASTVisitor {
public:
  SharedVariables() {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitImplicitCode = true;
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    const auto *mark = variable->getAttr<clang::AnnotateAttr>();
    if (!mark || mark->getAnnotation() != kSharedName)
      return true;
    variable->addAttr(clang::CUDASharedAttr::CreateImplicit(variable->getASTContext()));
    if (variable->isLocalVarDecl() && !variable->hasExternalStorage())
      variable->setStorageClass(clang::SC_Static);
    variable->setInit(nullptr);
    return true;
  }
};

} // namespace

void ErrorCollector::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                      const clang::Diagnostic &info) {
  DiagnosticConsumer::HandleDiagnostic(level, info);
  if (level < clang::DiagnosticsEngine::Error) {
    if (level == clang::DiagnosticsEngine::Note && lastDiffers_)
      faults_.differing.push_back(info.getLocation());
    // What __CUDA_ARCH__ selects is looked at and not run: it may go without the specialisation.
    if (info.getID() == clang::diag::note_cuda_ovl_candidate_target_mismatch &&
        std::exchange(lastSpecialises_, false))
      faults_.errors.pop_back();
    if (info.getID() == clang::diag::note_ovl_candidate_bad_target) {
      using Target = clang::CUDAFunctionTarget;
      // nvcc minds these in functions alone, and not in start values of variables.
      if (isCall(info, Target::Host, Target::Device))
        faults_.differing.push_back(info.getLocation());
      if (isCall(info, Target::Global, Target::Host) || isCall(info, Target::Device, Target::Host))
        faults_.calledByDevice.push_back(info.getLocation());
      if (lastCall_.isValid())
        faults_.ofOtherSide.push_back(std::exchange(lastCall_, {}));
    }
    return;
  }
  lastCall_ = findsNoFunction(info.getID()) ? info.getLocation() : clang::SourceLocation();
  lastDiffers_ = isDifferingDeclaration(info.getID());
  if (lastDiffers_)
    faults_.differing.push_back(info.getLocation());
  if (info.getID() == clang::diag::err_variable_object_no_init)
    faults_.arraysWithValues.push_back(info.getLocation());
  if (info.getID() == clang::diag::err_ovl_unresolvable ||
      info.getID() == clang::diag::err_template_kw_missing)
    faults_.uncalled.push_back(info.getLocation());
  if (info.getID() == clang::diag::err_missing_dependent_template_keyword)
    faults_.unsaidTemplates.push_back(info.getLocation());
  if (info.getID() == clang::diag::err_found_in_dependent_base)
    faults_.unsaidMembers.push_back(info.getLocation());
  if (isCastToOwnType(info))
    faults_.castToOwnType.push_back(info.getLocation());
  faults_.sharedIsInitialised |= info.getID() == clang::diag::err_shared_var_init;
  faults_.takesAuto |= info.getID() == clang::diag::err_auto_not_allowed;
  if (isRightDeviceCall(info, pass_) || isAddressOfDeviceFunction(info) || isIdleRestrict(info) ||
      isConstantWithValuesBeside(info) || isJumpIntoScope(info))
    return;
  llvm::SmallString<256> text;
  info.FormatDiagnostic(text);
  const SourcePlace where = info.hasSourceManager()
                                ? presumedPlace(info.getSourceManager(), info.getLocation())
                                : SourcePlace{};
  faults_.errors.push_back({where, text.str().str()});
  lastSpecialises_ =
      pass_ == Pass::Device && info.getID() == clang::diag::err_function_template_spec_no_match;
}

void shareNamedVariables(clang::ASTContext &ast) {
  SharedVariables().TraverseDecl(ast.getTranslationUnitDecl());
}

} // namespace relayout::instrument
