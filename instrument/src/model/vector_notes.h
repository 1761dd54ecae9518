// SPDX-License-Identifier: Apache-2.0
// What is noted of a unit's vectors while its code is read.
#pragma once

#include "model/vector_expressions.h"

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace relayout::instrument {

struct VectorNotes {
  VectorText text;
  std::map<const clang::CXXRecordDecl *, VectorUses> &all;
  bool isInTemplate = false;                     ///< an instance of it, or of a class template
  std::set<const clang::Stmt *> understood = {}; ///< expressions that need not be looked at again
  std::set<const clang::Stmt *> copies = {};     ///< of parts, by functions of the vector's class

  void refuse(const clang::CXXRecordDecl *element, std::string what, clang::SourceLocation where) {
    VectorUses &uses = all[element];
    if (!uses.obstacle.empty())
      return;
    uses.obstacle = std::move(what);
    uses.obstaclePlace = where;
  }

  void add(const clang::CXXRecordDecl *element, VectorPart part, std::string host = {}) {
    all[element].parts.insert({part, std::move(host)});
  }

  void edit(const clang::CXXRecordDecl *element, clang::CharSourceRange range, std::string with) {
    all[element].edits.push_back({range, std::move(with)});
  }
  void edit(const clang::CXXRecordDecl *element, const std::vector<VectorEdit> &edits) {
    std::vector<VectorEdit> &own = all[element].edits;
    own.insert(own.end(), edits.begin(), edits.end());
  }

  /// \param last  of iterators, the one behind the last element
  void copyBack(const clang::CXXRecordDecl *element, const clang::Expr *first,
                const clang::Expr *last = nullptr) {
    all[element].copiedBack.push_back({first, last, isInTemplate});
  }

  void understand(std::initializer_list<const clang::Expr *> iterators) {
    for (const clang::Expr *iterator : iterators)
      understood.insert(withoutNothing(*iterator));
  }
};

} // namespace relayout::instrument
