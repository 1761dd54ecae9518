// SPDX-License-Identifier: Apache-2.0
// The objects of one struct that holds pointers, throughout a program: which of them kernels are
// given, which hold the host's memory, and where one becomes another.
#pragma once

#include "relayout/instrument/clang/array_flow.h"

#include <clang/AST/Stmt.h>

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {

/// A struct type, with the mixed members that it is looked at for.
struct HolderStruct {
  std::string name; ///< as the program writes it
  SourcePlace place;
  /// Its definition in each unit; null where a unit does not have it.
  std::vector<const clang::CXXRecordDecl *> definitions;
  std::set<std::string> fields; ///< pointers that lead to memory of both sides
};

/// Where a name of the type stands.
struct TypePlace {
  std::string path;
  unsigned offset = 0;
  auto operator<=>(const TypePlace &) const = default;
};

/// A declaration whose type is written at a place; several share it in `Matrix a, b;`.
struct TypedDeclarator {
  std::string object;
  ParsedUnit *unit = nullptr;
  const clang::DeclaratorDecl *declaration = nullptr;
  bool standsAlone = false; ///< where further declarations may stand: in a block, a class, a file
};

struct TypeMention {
  std::set<std::string> objects; ///< that have this type; empty: it is a use of the type alone
  std::vector<TypedDeclarator> declarators;
  bool isDefinition = false;
};

/// `S d = h;` or `S d; d = h;` in a block. Or `cudaMemcpy(d, h, sizeof(S), …);`, behind which the
/// pointers in `d` are given values before anything else sees it.
struct ObjectCopy {
  ParsedUnit *unit = nullptr;
  std::string into, from;
  const clang::VarDecl *variable = nullptr;
  const clang::Expr *value = nullptr;
  const clang::CompoundStmt *block = nullptr;
  std::size_t index = 0; ///< of the statement in the block
  SourcePlace place;
  const clang::CallExpr *call = nullptr; ///< of bytes; null: it is an initialisation or assignment
};

/// A method that the program defines.
struct HolderMethod {
  /// A destructor, or what copies and moves: both types have it, as it is written.
  bool isCopied = false;
  bool isConstructor = false;
  bool hasStatic = false; ///< a variable of its own, of one that both types would have
  /// Its text speaks of other objects, or gives this one memory: it is of one type. All others work
  /// on any object.
  bool isOfOneType = false;
  bool followsPointers = false;  ///< that lead to memory of both sides
  std::set<std::string> callees; ///< methods of the same object
  std::set<std::string> objects; ///< that it is called on
  /// Its definitions outside of the class: one, in each unit that has it.
  std::vector<std::pair<ParsedUnit *, const clang::CXXMethodDecl *>> outside;
};
using HolderMethods = std::map<std::string, HolderMethod>; ///< by symbol

/// A function of both sides that works on any object.
struct HolderFunction {
  bool isPlain = false;          ///< its body is known, and uses members alone
  unsigned object = 0;           ///< the parameter that is one
  bool isInClass = false;        ///< a class declares it, too, as its friend
  bool followsPointers = false;  ///< that lead to memory of both sides
  std::set<std::string> methods; ///< that it calls on the object
  std::set<std::string> callees; ///< functions that it gives the object to
  std::set<std::string> objects; ///< that it is given
  std::vector<std::pair<ParsedUnit *, const clang::FunctionDecl *>> declarations;
};
using HolderFunctions = std::map<std::string, HolderFunction>; ///< by symbol

/// Names of objects are the same in every unit. A part of an object, a pointer or reference to it
/// and a function that returns it are objects, too: those that are joined have one type.
struct StructObjects {
  struct Join {
    std::string a, b;
    SourcePlace place;
  };
  std::vector<Join> joins;
  std::vector<ObjectCopy> copies;
  std::map<std::string, SourcePlace> device, host; ///< objects that hold that memory, and why
  std::set<std::string> given; ///< objects with a pointer of which that is not seen
  std::map<TypePlace, TypeMention> mentions;
  std::set<TypePlace> usings; ///< of names in `using space::S;`
  HolderMethods methods;
  HolderFunctions functions;
  /// What keeps the type from being two.
  std::optional<std::pair<std::string, SourcePlace>> obstacle;
};

/// What containers and functions of libraries have of the type: it stays as it is there.
inline constexpr const char *kOfLibrary = "(library)";

[[nodiscard]] StructObjects objectsOf(const HolderStruct &holder,
                                      const std::vector<ParsedUnit *> &units);

/// The name of the type behind all pointers, references and arrays; null where that is not plain.
[[nodiscard]] clang::TypeLoc innermostType(clang::TypeLoc type);

/// The place of a token in a user's file; nothing inside a macro.
[[nodiscard]] std::optional<TypePlace> filePlace(ParsedUnit &unit, clang::SourceLocation location);

/// The same, also of what is written as a macro's argument.
[[nodiscard]] std::optional<TypePlace> writtenPlace(ParsedUnit &unit,
                                                    clang::SourceLocation location);

} // namespace relayout::instrument
