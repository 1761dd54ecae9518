// SPDX-License-Identifier: Apache-2.0
// A Clang that reads one unit as its build does, against our CUDA headers or a toolkit's.
#include "parse/unit_compiler.h"

#include "parse/nvcc_spelling.h"
#include "parse/parse_faults.h"
#include "parse/replaced_text.h"
#include "relayout/instrument/clang/compatibility.h"

#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Lex/PreprocessorOptions.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace relayout::instrument {
namespace {

namespace fs = std::filesystem;

/// Clang's own headers: an installation that carries them has them beside the CUDA headers.
std::string clangHeaders(const CompileCommand &command) {
  const fs::path carried = fs::path(command.cudaHeaders).parent_path() / "relayout-clang";
  std::error_code status;
  return fs::exists(carried, status) ? carried.string() : RELAYOUT_CLANG_RESOURCE_DIR;
}

/// The device pass sees __CUDA_ARCH__. Against our headers it is the host's pass with that macro.
std::vector<std::string> headerArguments(const CompileCommand &command, Pass pass) {
  if (command.language != Language::Cuda)
    return {"-isystem",
            command.cudaToolkit.empty() ? command.cudaHeaders : command.cudaToolkit + "/include",
            kHostUnitFlag};
  if (command.cudaToolkit.empty()) {
    // Before Clang 22 its driver allows variadic functions only where it finds a toolkit.
    std::vector<std::string> arguments = {
        "--cuda-host-only", "-nocudainc",        "-Xclang",  "-fcuda-allow-variadic-functions",
        "-isystem",         command.cudaHeaders, "-include", "cuda_runtime.h"};
    if (pass == Pass::Device)
      arguments.emplace_back("-D__CUDA_ARCH__=900");
    return arguments;
  }
  return {pass == Pass::Device ? "--cuda-device-only" : "--cuda-host-only",
          "--cuda-path=" + command.cudaToolkit,
          "--cuda-gpu-arch=sm_90",
          "-isystem",
          command.cudaToolkit + "/include/cccl",
          "-include",
          "math.h", // nvcc includes it
          "-include",
          command.cudaHeaders + "/relayout/beside_toolkit.h"};
}

std::vector<std::string> driverArguments(const CompileCommand &command, Pass pass) {
  const bool isCuda = command.language == Language::Cuda;
  const bool isC = command.language == Language::C;
  std::vector<std::string> arguments = {"clang++",
                                        "-x",
                                        isCuda ? "cuda" : (isC ? "c" : "c++"),
                                        isC ? "-std=gnu17" : "-std=gnu++17",
                                        "-fsyntax-only",
                                        "-w",
                                        "-ferror-limit=0",
                                        "-Wno-unknown-cuda-version",
                                        "-Wno-dynamic-exception-spec", // until C++14
                                        "-resource-dir=" + clangHeaders(command)};
  if (isCuda) // the second lets dynamic shared memory be no array
    arguments.insert(arguments.end(), {"-foffload-implicit-host-device-templates", "-fgpu-rdc"});
  for (std::string &argument : headerArguments(command, pass))
    arguments.push_back(std::move(argument));
  for (std::string &flag : languageFlags(command))
    arguments.push_back(std::move(flag));
  if (std::ranges::any_of(linkFlagsOf(command.flags),
                          [](const std::string &flag) { return flag.starts_with("-fopenmp"); }))
    arguments.emplace_back(kOpenMpMacro);
  arguments.insert(arguments.end(), {"-idirafter", command.cudaHeaders + "/openmp"});
  if (command.cudaToolkit.empty() && !command.cccl.empty())
    arguments.insert(arguments.end(), {"-idirafter", command.cccl});
  arguments.push_back(command.file);
  return arguments;
}

} // namespace

std::unique_ptr<clang::CompilerInstance> unitCompiler(const CompileCommand &command, Pass pass,
                                                      clang::DiagnosticConsumer &consumer) {
  const std::vector<std::string> arguments = driverArguments(command, pass);
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());

  const auto fileSystem = withClangSpelling(llvm::vfs::getRealFileSystem());
  clang::DiagnosticOptions driverOptions;
  clang::CreateInvocationOptions options;
  options.Diags = compatibility::driverDiagnostics(*fileSystem, driverOptions, consumer);
  options.VFS = fileSystem;
  std::shared_ptr<clang::CompilerInvocation> invocation =
      clang::createInvocation(pointers, options);
  if (!invocation)
    return nullptr;
  invocation->getFrontendOpts().DisableFree = false;
  if (std::ranges::find(command.flags, kNoAccessControl) != command.flags.end())
    invocation->getLangOpts().AccessControl = false;
  if (std::ranges::find(command.flags, kLateTemplates) != command.flags.end())
    invocation->getLangOpts().DelayedTemplateParsing = true;
  for (const std::string &flag : command.flags)
    if (const auto replaced = replacedBy(flag))
      invocation->getPreprocessorOpts().addRemappedFile(
          replaced->first,
          llvm::MemoryBuffer::getMemBufferCopy(clangSpelling(replaced->second), replaced->first)
              .release());
  auto compiler = compatibility::compilerFor(std::move(invocation), fileSystem, consumer);
  compiler->createTarget();
  return compiler;
}

} // namespace relayout::instrument
