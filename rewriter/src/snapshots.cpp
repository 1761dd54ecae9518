// SPDX-License-Identifier: Apache-2.0
// A `const R &` parameter that was bound to an element is bound to a copy afterwards. That is the
// same only while the call neither changes such elements nor waits for others to do so.
#include "uses.h"

#include <fmt/format.h>

namespace relayout::rewriter {

void UseRewriter::requireNoStores(Use &use, const clang::FunctionDecl *callee,
                                  clang::SourceLocation where) {
  snapshots_.push_back(
      {callee->getDefinition() ? callee->getDefinition() : callee, use.target, where});
}

void UseRewriter::checkSnapshots() {
  for (const Snapshot &snapshot : snapshots_) {
    std::set<const clang::FunctionDecl *> reached = {snapshot.callee};
    std::vector<const clang::FunctionDecl *> open = {snapshot.callee};
    std::string reason;
    while (!open.empty() && reason.empty()) {
      const clang::FunctionDecl *function = open.back();
      open.pop_back();
      const std::string name = function->getNameAsString();
      if (storing_.count(function))
        reason = fmt::format("'{}' writes elements of such arrays", name);
      else if (!isUsers(program_, *function) &&
               (name.starts_with("__sync") || name.starts_with("__threadfence")))
        reason = fmt::format("it waits for other threads in '{}'", name);
      else if (isUsers(program_, *function) && !function->isDefined() && !function->isDefaulted() &&
               !function->isImplicit())
        reason = fmt::format("'{}' is not seen", name);
      for (const clang::FunctionDecl *callee : program_.index.calleesOf(function))
        if (reached.insert(callee).second)
          open.push_back(callee);
    }
    if (!reason.empty())
      program_.findings.refuse(
          "RL-R09",
          fmt::format(
              "arrays of '{}' stay as they are: a call that is given an element by reference "
              "may change it: {}",
              snapshot.target->shape.name, reason),
          snapshot.where, "copy the element to a local variable first, if that is what is meant");
  }
}

} // namespace relayout::rewriter
