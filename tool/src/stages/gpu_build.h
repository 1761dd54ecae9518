// SPDX-License-Identifier: Apache-2.0
// Builds versions of a program for this machine's GPU, each unit with its own compiler and flags.
#pragma once

#include "processes/install_paths.h"
#include "relayout/base/result.h"
#include "relayout/instrument/command.h"
#include "stages/unit_compile.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace relayout::tool {

/// A version of a program, and the program to make of it.
struct GpuVersion {
  std::string name;
  std::vector<UnitVersion> units; ///< as those of the program
  std::vector<std::string> linkWords;
  std::string output;
};

/// What lets a program be built with its copies seen: the CUDA runtime as a library of its own.
[[nodiscard]] std::vector<std::string> sharedRuntimeWords();

/// \param moved  the program itself, or what inFolder() or changedInFolder() made of it
[[nodiscard]] std::vector<UnitVersion> unitsOf(const instrument::Program &program,
                                               const instrument::Program &moved);

/// Compiles what differs between the versions once each, on all cores, and links each version with
/// nvcc. Units whose build is known are compiled as there; others by nvcc, optimised and for this
/// machine's GPU unless their flags name one.
/// \param folder  for objects and the compilers' words
/// \returns  by version, why it could not be built; RL-G06 with the log's name
[[nodiscard]] std::map<std::string, Error> buildForGpu(const instrument::Program &program,
                                                       const std::vector<GpuVersion> &versions,
                                                       const std::string &nvcc,
                                                       const std::string &folder);

/// What a compiler made of a unit.
struct CompiledUnit {
  std::string object;
  std::string log; ///< its words
};

/// Compiles the device code of CUDA units of which the versions differ once each, and links
/// nothing. \param further  flags of CUDA units; one that names a GPU gives way to the unit's own
/// \param limit    for all of it; 0: none
/// \returns  by version, its CUDA units; without versions of which a unit does not compile, or not
///           in time
[[nodiscard]] std::map<std::string, std::vector<CompiledUnit>>
compileForGpu(const instrument::Program &program, const std::vector<GpuVersion> &versions,
              const std::string &nvcc, const std::string &folder,
              const std::vector<std::string> &further, std::chrono::seconds limit);

} // namespace relayout::tool
