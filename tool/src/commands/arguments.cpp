// SPDX-License-Identifier: Apache-2.0
// Separates relayout's own options from the compiler's flags and the user's program's arguments.
#include "commands/arguments.h"

#include "commands/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace relayout::tool {
namespace {

using namespace std::string_view_literals;

/// Compiler flags whose value is the next word.
constexpr std::array kValueFlags = {"-I"sv,      "-D"sv,       "-U"sv,         "-L"sv,
                                    "-l"sv,      "-x"sv,       "-std"sv,       "-arch"sv,
                                    "-code"sv,   "-gencode"sv, "-ccbin"sv,     "-isystem"sv,
                                    "-iquote"sv, "-include"sv, "-Xcompiler"sv, "-Xlinker"sv,
                                    "-Xptxas"sv, "-Xcudafe"sv, "-Xnvlink"sv,   "-maxrregcount"sv,
                                    "-t"sv,      "-MF"sv,      "-MT"sv,        "-MQ"sv,
                                    "-rdc"sv,    "-dlto"sv};

/// nvcc's long options; with `=value`, alone, or followed by a value where the second column says.
struct LongFlag {
  std::string_view name;
  bool takesValue;
};
constexpr std::array kLongFlags = {LongFlag{"--std"sv, true},
                                   LongFlag{"--gpu-architecture"sv, true},
                                   LongFlag{"--gpu-code"sv, true},
                                   LongFlag{"--generate-code"sv, true},
                                   LongFlag{"--include-path"sv, true},
                                   LongFlag{"--define-macro"sv, true},
                                   LongFlag{"--undefine-macro"sv, true},
                                   LongFlag{"--system-include"sv, true},
                                   LongFlag{"--pre-include"sv, true},
                                   LongFlag{"--compiler-options"sv, true},
                                   LongFlag{"--compiler-bindir"sv, true},
                                   LongFlag{"--ptxas-options"sv, true},
                                   LongFlag{"--linker-options"sv, true},
                                   LongFlag{"--relocatable-device-code"sv, true},
                                   LongFlag{"--maxrregcount"sv, true},
                                   LongFlag{"--optimize"sv, true},
                                   LongFlag{"--library"sv, true},
                                   LongFlag{"--library-path"sv, true},
                                   LongFlag{"--threads"sv, true},
                                   LongFlag{"--ftz"sv, true},
                                   LongFlag{"--fmad"sv, true},
                                   LongFlag{"--prec-div"sv, true},
                                   LongFlag{"--prec-sqrt"sv, true},
                                   LongFlag{"--diag-suppress"sv, true},
                                   LongFlag{"--cudart"sv, true},
                                   LongFlag{"--default-stream"sv, true},
                                   LongFlag{"--use_fast_math"sv, false},
                                   LongFlag{"--expt-relaxed-constexpr"sv, false},
                                   LongFlag{"--expt-extended-lambda"sv, false},
                                   LongFlag{"--extended-lambda"sv, false},
                                   LongFlag{"--generate-line-info"sv, false},
                                   LongFlag{"--device-debug"sv, false},
                                   LongFlag{"--debug"sv, false},
                                   LongFlag{"--device-c"sv, false},
                                   LongFlag{"--keep"sv, false},
                                   LongFlag{"--verbose"sv, false},
                                   LongFlag{"--restrict"sv, false},
                                   LongFlag{"--disable-warnings"sv, false},
                                   LongFlag{"--forward-unknown-to-host-compiler"sv, false}};

bool isKnownLongFlag(std::string_view name) {
  return std::any_of(kLongFlags.begin(), kLongFlags.end(),
                     [&](const LongFlag &flag) { return flag.name == name; });
}

bool takesNextWord(std::string_view word) {
  if (std::find(kValueFlags.begin(), kValueFlags.end(), word) != kValueFlags.end())
    return true;
  return std::any_of(kLongFlags.begin(), kLongFlags.end(),
                     [&](const LongFlag &flag) { return flag.takesValue && flag.name == word; });
}

std::vector<std::string> optionNames(const CLI::App &parser) {
  std::vector<std::string> names;
  for (const CLI::Option *option : parser.get_options())
    if (!option->get_group().empty()) // hidden ones have none
      for (const std::string &name : option->get_lnames())
        names.push_back("--" + name);
  return names;
}

/// Endings of what a compiler reads; a file of another name must be there to be taken for one.
bool isNamedLikeASource(std::string_view word) {
  return std::ranges::any_of(std::array{".cu"sv, ".cpp"sv, ".cc"sv, ".cxx"sv, ".c"sv, ".json"sv},
                             [word](std::string_view ending) { return word.ends_with(ending); });
}

/// One pass over the words before `--`.
class Splitter {
public:
  Splitter(const Command &command, SplitWords &split) : command_(command), split_(split) {}

  /// \returns  where the words go on
  template <class Word> Result<Word> take(Word word, Word end) {
    if (word->size() < 2 || word->front() != '-')
      return takePlain(word);
    if (const CLI::Option *option = command_.parser->get_option_no_throw(nameOf(*word)))
      return takeOwn(*option, word, end);
    const bool isFlag =
        command_.takesCompilerFlags && (!word->starts_with("--") || isKnownLongFlag(nameOf(*word)));
    if (isFlag)
      return takeFlag(word, end);
    const bool mayBeOwn = !word->starts_with("--") || !command_.parser->get_subcommands({}).empty();
    if (mayBeOwn) { // -j4, or of a subcommand's subcommand: CLI11 knows
      split_.own.push_back(*word);
      return word + 1;
    }
    return fail(Code::InvalidCommandLine,
                fmt::format("unknown option '{}'{}; '{} --help' lists the options", *word,
                            didYouMean(nameOf(*word), optionNames(*command_.parser)),
                            command_.parser->get_name()));
  }

private:
  static std::string nameOf(const std::string &word) { return word.substr(0, word.find('=')); }

  template <class Word> Result<Word> takePlain(Word word) {
    std::error_code status;
    if (command_.takesCompilerFlags && command_.takesProgramArguments && hasSource_ &&
        !isNamedLikeASource(*word) && !std::filesystem::exists(*word, status))
      return fail(Code::InvalidCommandLine,
                  fmt::format("there is no file '{0}'; arguments of the program go after '--': "
                              "{1} … -- {0}",
                              *word, command_.parser->get_name()));
    hasSource_ = true;
    split_.own.push_back(*word);
    return word + 1;
  }

  template <class Word> Result<Word> takeOwn(const CLI::Option &option, Word word, Word end) {
    const bool valueFollows =
        option.get_items_expected_max() > 0 && word->find('=') == std::string::npos;
    split_.own.push_back(*word);
    if (valueFollows && word + 1 != end)
      split_.own.push_back(*++word);
    return word + 1;
  }

  template <class Word> Result<Word> takeFlag(Word word, Word end) {
    split_.forwarded.compilerFlags.push_back(*word);
    if (takesNextWord(*word) && word + 1 != end)
      split_.forwarded.compilerFlags.push_back(*++word);
    return word + 1;
  }

  const Command &command_;
  SplitWords &split_;
  bool hasSource_ = false;
};

} // namespace

Result<SplitWords> splitWords(const Command &command, const std::vector<std::string> &words) {
  SplitWords split;
  auto end = words.end();
  if (command.takesProgramArguments) {
    end = std::find(words.begin(), words.end(), "--");
    if (end != words.end())
      split.forwarded.programArguments.assign(end + 1, words.end());
  }
  Splitter splitter(command, split);
  for (auto word = words.begin(); word != end;) {
    const auto next = splitter.take(word, end);
    if (!next)
      return tl::unexpected(next.error());
    word = *next;
  }
  return split;
}

} // namespace relayout::tool
