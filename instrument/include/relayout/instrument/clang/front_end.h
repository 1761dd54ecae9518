// SPDX-License-Identifier: Apache-2.0
// Parses one translation unit with Clang and keeps the AST alive. The only header here whose
// interface speaks Clang's types: for instrument/ and rewriter/ alone.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/command.h"
#include "relayout/instrument/source_set.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace relayout::instrument {

/// Which side's preprocessor view of the file to take. Both see host and device functions; the
/// device pass also defines __CUDA_ARCH__.
enum class Pass { Host, Device };

/// Whether a unit's tokens and expansions are kept: where all that is asked is whether it parses,
/// nobody reads them.
enum class KeepTokens { Yes, No };

/// The tokens one macro invocation in a user file became, after all nested expansion.
struct Expansion {
  clang::SourceRange range;         ///< the invocation as written, in file coordinates
  std::vector<clang::Token> tokens; ///< fully expanded, in order
};

/// An #include in a user file that reached another user file.
struct Inclusion {
  clang::CharSourceRange name; ///< the file name with its quotes or brackets, in the file
  std::string path;            ///< canonical path of what it reached
};

/// A parsed translation unit. Owns everything the AST points into.
class ParsedUnit {
public:
  ~ParsedUnit();
  ParsedUnit(const ParsedUnit &) = delete;
  ParsedUnit &operator=(const ParsedUnit &) = delete;

  [[nodiscard]] clang::ASTContext &ast() { return compiler_->getASTContext(); }
  [[nodiscard]] clang::SourceManager &sources() { return compiler_->getSourceManager(); }
  [[nodiscard]] clang::Preprocessor &preprocessor() { return compiler_->getPreprocessor(); }

  /// True for the main file and for every header that is neither a system header nor ours.
  [[nodiscard]] bool isUserFile(clang::FileID file) const;

  /// The canonical path of a file; empty for what is none. The same in every unit that includes it.
  [[nodiscard]] const std::string &pathOf(clang::FileID file) const;

  /// Macro invocations in user files, by the place of their first character.
  [[nodiscard]] const std::map<clang::SourceLocation, Expansion> &expansions() const {
    return expansions_;
  }

  /// Every token that stands in user files, macros expanded, in order. Annotations and the tokens
  /// of skipped regions are not among them.
  [[nodiscard]] const std::vector<clang::Token> &tokens() const { return tokens_; }

  [[nodiscard]] const std::vector<Inclusion> &inclusions() const { return inclusions_; }

  /// Character ranges that #if and related directives left out, in user files.
  [[nodiscard]] const std::vector<clang::SourceRange> &skippedRanges() const {
    return skippedRanges_;
  }

  /// Words that nvcc does without, by the token behind which Clang reads them.
  [[nodiscard]] const std::map<clang::SourceLocation, std::string> &missingWords() const {
    return missingWords_;
  }

  /// The place as users read it: presumed file as given to the compiler, line, column. A place
  /// inside a macro is that of the outermost invocation.
  [[nodiscard]] SourcePlace place(clang::SourceLocation location) const;

  /// As the flags ask for it.
  [[nodiscard]] const FloatMath &floatMath() const { return floatMath_; }

  /// True when a user file tests or uses __CUDA_ARCH__, so that the two passes may differ.
  [[nodiscard]] bool usesCudaArch() const { return usesCudaArch_; }

  /// The user's files as they are on disk, main file first, `text` equal to `original`.
  /// relativePath is the path below the deepest folder that holds them all.
  [[nodiscard]] SourceSet userSources() const;

private:
  friend Result<std::unique_ptr<ParsedUnit>> parse(const CompileCommand &command, Pass pass,
                                                   KeepTokens keep, UnusedTemplates templates);
  class Watcher;
  ParsedUnit();

  std::unique_ptr<clang::DiagnosticConsumer> diagnostics_;
  std::unique_ptr<clang::CompilerInstance> compiler_;
  std::unique_ptr<clang::FrontendAction> action_;
  std::unique_ptr<ScalarRecords> scalars_; ///< null: the unit looks at records alone
  std::map<clang::SourceLocation, Expansion> expansions_;
  std::vector<clang::Token> tokens_;
  std::vector<Inclusion> inclusions_;
  std::vector<clang::SourceRange> skippedRanges_;
  std::map<clang::SourceLocation, std::string> missingWords_;
  std::string headersFolder_;
  mutable std::map<unsigned, std::string> paths_;
  FloatMath floatMath_;
  bool usesCudaArch_ = false;
};

/// \error RL-C01 the file cannot be read; RL-C02 it does not parse, Clang's errors as notes;
///        RL-C05 it uses a CUDA name or header that our CUDA headers lack
[[nodiscard]] Result<std::unique_ptr<ParsedUnit>>
parse(const CompileCommand &command, Pass pass, KeepTokens keep = KeepTokens::Yes,
      UnusedTemplates templates = UnusedTemplates::MayHaveFaults);

/// Each unit by itself, on all cores.
/// \error as parse(), of the first unit that has one
[[nodiscard]] Result<std::vector<std::unique_ptr<ParsedUnit>>>
parseAll(const std::vector<CompileCommand> &commands, Pass pass);

/// The user's files of a program, each once, in the order of its units.
[[nodiscard]] SourceSet sourcesOf(const std::vector<ParsedUnit *> &units);

/// Of edited sources, those below the deepest folder that holds the units' main files, all that is
/// edited or includes what is, what these name by a path from their own, and the include folders
/// through which these are found. A library's header elsewhere is left out: nothing of it changes.
/// Sets relativePath.
/// \param sources  of all `units`; generated files behind the user's
void keepReached(SourceSet &sources, const std::vector<ParsedUnit *> &units);

/// XXH3-128 over names and bytes of the user's files, hex: the identity of the program text.
[[nodiscard]] std::string sourceDigest(const SourceSet &sources);

} // namespace relayout::instrument
