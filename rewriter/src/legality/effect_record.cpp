// SPDX-License-Identifier: Apache-2.0
// Collects the effects of one function.
#include "legality/effect_record.h"

#include <fmt/format.h>

namespace relayout::rewriter {

void EffectRecord::stop(const std::string &what) {
  if (effects_.obstacle.empty())
    effects_.obstacle = fmt::format("'{}' {}", function_.getNameAsString(), what);
}

void EffectRecord::touch(const std::string &path) {
  if (conditions_ == 0)
    effects_.touched.insert(path);
}

void EffectRecord::read(const Root &root) {
  if (tracked_.has(root))
    touch(root.path);
}

void EffectRecord::write(const Root &root) {
  if (tracked_.has(root)) {
    effects_.written.insert(root.path);
    touch(root.path);
    return;
  }
  if (root.isThis)
    return stop("changes the object it is called on");
  if (!root.variable->hasLocalStorage())
    return stop(fmt::format("changes '{}'", root.variable->getNameAsString()));
  const bool isCaptured = // it, or the closure's copy of it, outlives the call
      root.variable->isInitCapture() ||
      clang::Decl::castFromDeclContext(root.variable->getDeclContext()) != &function_;
  if (isCaptured)
    return stop(fmt::format("changes '{}', which it captures", root.variable->getNameAsString()));
  if (!root.variable->getType()->isReferenceType())
    return;
  const std::optional<Root> behind =
      clang::isa<clang::ParmVarDecl>(root.variable) || !root.variable->getInit()
          ? std::nullopt
          : rootOf(root.variable->getInit());
  if (!behind)
    return writeBehind(
        root.variable->getType().getNonReferenceType(),
        fmt::format("changes what '{}' refers to", root.variable->getNameAsString()));
  write({behind->variable, behind->isThis, joined(behind->path, root.path)});
}

void EffectRecord::writeBehind(clang::QualType type, const std::string &what) {
  const clang::CXXRecordDecl *record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
  if (!record || !tracked_.element || !areApart(*record, *tracked_.element))
    return stop(what);
  if (effects_.besides.empty())
    effects_.besides = fmt::format("'{}' {}", function_.getNameAsString(), what);
}

void EffectRecord::checkName(const clang::ValueDecl &declaration) {
  if (tracked_.besideArrays && program_.targetOf(&declaration) &&
      !isKeptReference(program_, &declaration))
    stop(fmt::format("uses '{}', whose layout changes", declaration.getNameAsString()));
  if (declaration.getType().isVolatileQualified())
    stop("reads what is volatile");
}

void EffectRecord::include(const ElementEffects &callee, const std::string *at) {
  if (!callee.obstacle.empty() && effects_.obstacle.empty())
    effects_.obstacle = callee.obstacle;
  if (effects_.besides.empty())
    effects_.besides = callee.besides;
  if (!at)
    return;
  for (const std::string &written : callee.written)
    effects_.written.insert(joined(*at, written));
  for (const std::string &touched : callee.touched)
    touch(joined(*at, touched));
}

void EffectRecord::endBranch() {
  if (mayReturn_ && conditions_ == 0)
    ++conditions_;
}

} // namespace relayout::rewriter
