// SPDX-License-Identifier: Apache-2.0
// Whether the pointers in objects of one struct lead to the host's memory or to the device's.
#pragma once

#include "structs/object_names.h"

namespace relayout::instrument {

/// Reads what one unit says of it into StructObjects::device, host and given.
class HeldMemory {
public:
  HeldMemory(ParsedUnit &unit, const HolderStruct &holder, const ObjectNames &names,
             StructObjects &objects)
      : unit_(unit), holder_(holder), names_(names), objects_(objects) {}

  void onDevice(const std::string &object, clang::SourceLocation where) {
    objects_.device.try_emplace(object, unit_.place(where));
  }
  void onHost(const std::string &object, clang::SourceLocation where) {
    objects_.host.try_emplace(object, unit_.place(where));
  }

  /// `cudaMalloc(&x.f, size)`
  void noteAllocation(const clang::CallExpr &call);

  /// `kernel<<<1, 1>>>(x.f)`
  void noteKernelArgument(const clang::Expr &argument);

  /// `x.f = value;`
  void noteAssignment(const clang::BinaryOperator &assignment);

  /// The objects get a pointer: the value of a member that leads to memory of both sides.
  void noteGiven(const std::vector<std::string> &objects, const clang::Expr &value);

  /// Host code looks at what the pointer leads to.
  void noteHostUse(const clang::Expr &pointer);

  /// Objects are on the device that are given what a variable holds that CUDA allocates for.
  void finish();

private:
  struct Given {
    std::string object;
    const clang::ValueDecl *from = nullptr;
    clang::SourceLocation where;
  };

  /// The object of `x.f` or `x->f`, of a member that leads to memory of both sides.
  [[nodiscard]] std::vector<std::string> ownerOf(const clang::Expr *expression) const;

  ParsedUnit &unit_;
  const HolderStruct &holder_;
  const ObjectNames &names_;
  StructObjects &objects_;
  std::vector<Given> given_;
  std::set<const clang::ValueDecl *> allocated_; ///< variables that CUDA allocates for
};

} // namespace relayout::instrument
