// SPDX-License-Identifier: Apache-2.0
// What a function does to an object that it is given by reference, and that it does nothing else
// which could be seen outside. An element may then be loaded, given to it, and stored back.
#pragma once

#include "pass/program.h"

#include <set>
#include <string>

namespace relayout::rewriter {

/// The parts of an object that a function reaches: "x", "pos.y", "v.[]" for elements of an array
/// member; the empty path is all of it.
struct ElementEffects {
  std::set<std::string> written;
  std::set<std::string> touched; ///< read or written whichever way control goes
  std::string obstacle;          ///< what else it does, or may do; empty: nothing
  std::string besides;           ///< which objects it changes that share no memory with an element
};

/// \param parameter  the object's, counted from 0; -1: what a method is called on, if anything
/// \param element  the object's class: others that share no memory with it may change too; null:
///                 nothing else may
[[nodiscard]] ElementEffects effectsOn(const Program &program, const clang::FunctionDecl &function,
                                       int parameter,
                                       const clang::CXXRecordDecl *element = nullptr);

/// True for a constructor that only computes the object's own members.
[[nodiscard]] bool onlyInitialises(const Program &program,
                                   const clang::CXXConstructorDecl &constructor);

/// True for a function that changes nothing but its own variables, so that a call of it computes a
/// value, perhaps of arrays. Nor does such a method change what it is called on, const or not.
[[nodiscard]] bool onlyComputes(const Program &program, const clang::FunctionDecl &function);

} // namespace relayout::rewriter
