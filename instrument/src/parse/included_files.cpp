// SPDX-License-Identifier: Apache-2.0
// Which files a unit is made of, by Clang's preprocessor.
#include "relayout/instrument/included_files.h"

#include "parse/unit_compiler.h"

#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/Preprocessor.h>

namespace relayout::instrument {
namespace {

namespace fs = std::filesystem;

class FoundFiles : public clang::DependencyCollector {
public:
  bool sawDependency(llvm::StringRef name, bool fromModule, bool isSystem, bool isModule,
                     bool isMissing) override {
    return !isMissing &&
           DependencyCollector::sawDependency(name, fromModule, isSystem, isModule, isMissing);
  }
};

void addIncluded(const CompileCommand &unit, Pass pass, std::set<fs::path> &files) {
  clang::IgnoringDiagConsumer ignored; // the unit is not read for its meaning
  const auto compiler = unitCompiler(unit, pass, ignored);
  if (!compiler)
    return;
  const auto collector = std::make_shared<FoundFiles>();
  compiler->addDependencyCollector(collector);
  clang::PreprocessOnlyAction action;
  if (!action.BeginSourceFile(*compiler, compiler->getFrontendOpts().Inputs.front()))
    return;
  compiler->getPreprocessor().SetSuppressIncludeNotFoundError(true);
  if (llvm::Error failure = action.Execute())
    llvm::consumeError(std::move(failure));
  for (const std::string &file : collector->getDependencies())
    files.insert(fs::weakly_canonical(file));
  action.EndSourceFile();
}

} // namespace

std::set<fs::path> includedFiles(const CompileCommand &unit) {
  std::set<fs::path> files;
  addIncluded(unit, Pass::Host, files);
  if (unit.language == Language::Cuda)
    addIncluded(unit, Pass::Device, files);
  return files;
}

} // namespace relayout::instrument
