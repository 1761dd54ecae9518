// SPDX-License-Identifier: Apache-2.0
// The methods of a struct whose objects hold the host's memory or the device's: which are for every
// object, and which for those of one kind.
#pragma once

#include "structs/object_names.h"

#include <clang/AST/DeclCXX.h>

namespace relayout::instrument {

/// The object that a method is called on.
[[nodiscard]] std::string thisOf(const std::string &method);

/// A destructor, and what copies and moves: both types have them, as they are written.
[[nodiscard]] bool isOfEveryObject(const clang::CXXMethodDecl &method);

/// A method of the struct itself.
[[nodiscard]] bool isMethodOf(const clang::CXXRecordDecl &record, const clang::Decl *function);

/// The methods that the program defines.
[[nodiscard]] HolderMethods methodsOf(const HolderStruct &holder,
                                      const std::vector<ParsedUnit *> &units);

} // namespace relayout::instrument
