// SPDX-License-Identifier: Apache-2.0
// Translates nvcc's command line to what a Clang parse needs of it.
#include "relayout/instrument/command.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace relayout::instrument {
namespace {

using Words = std::vector<std::string>;

/// What the preprocessor sees: kept. nvcc writes the value glued, behind '=' or as the next word.
struct KeptFlag {
  std::string_view name; ///< Clang's spelling
  std::string_view longName;
  bool isList; ///< nvcc splits the value at commas
};
constexpr auto kKept = std::to_array<KeptFlag>({{"-isystem", "--system-include", true},
                                                {"-iquote", "", false},
                                                {"-idirafter", "", false},
                                                {"-imacros", "", false},
                                                {"-include", "--pre-include", true},
                                                {"-I", "--include-path", true},
                                                {"-D", "--define-macro", false},
                                                {"-U", "--undefine-macro", false}});

/// Flags without meaning here whose value may be the next word, which must go with them.
constexpr std::string_view kDroppedWithValue[] = {"-o",
                                                  "--output-file",
                                                  "-odir",
                                                  "--output-directory",
                                                  "-arch",
                                                  "--gpu-architecture",
                                                  "-code",
                                                  "--gpu-code",
                                                  "-gencode",
                                                  "--generate-code",
                                                  "-ccbin",
                                                  "--compiler-bindir",
                                                  "-Xlinker",
                                                  "--linker-options",
                                                  "-Xptxas",
                                                  "--ptxas-options",
                                                  "-Xnvlink",
                                                  "--nvlink-options",
                                                  "-Xarchive",
                                                  "--archive-options",
                                                  "-Xcudafe",
                                                  "-Xfatbin",
                                                  "-maxrregcount",
                                                  "--maxrregcount",
                                                  "-L",
                                                  "--library-path",
                                                  "-l",
                                                  "--library",
                                                  "-rdc",
                                                  "--relocatable-device-code",
                                                  "-t",
                                                  "--threads",
                                                  "-x",
                                                  "--x",
                                                  "-MF",
                                                  "-MT",
                                                  "-MQ",
                                                  "--dependency-output",
                                                  "--dependency-target-name",
                                                  "-O",
                                                  "--optimize",
                                                  "-ftz",
                                                  "--ftz",
                                                  "-prec-div",
                                                  "--prec-div",
                                                  "-prec-sqrt",
                                                  "--prec-sqrt",
                                                  "-fmad",
                                                  "--fmad",
                                                  "-cudart",
                                                  "--cudart",
                                                  "-cudadevrt",
                                                  "--cudadevrt",
                                                  "-m",
                                                  "--machine",
                                                  "-diag-suppress",
                                                  "--diag-suppress",
                                                  "-diag-error",
                                                  "--diag-error",
                                                  "-diag-warn",
                                                  "--diag-warn",
                                                  "-Werror",
                                                  "--Werror",
                                                  "-default-stream",
                                                  "--default-stream",
                                                  "-split-compile",
                                                  "--split-compile",
                                                  "-time",
                                                  "--time",
                                                  "-dopt",
                                                  "--dopt",
                                                  "-optf",
                                                  "--options-file",
                                                  "-keep-dir",
                                                  "--keep-dir",
                                                  "-idp",
                                                  "--input-drive-prefix",
                                                  "-ldir",
                                                  "--libdevice-directory",
                                                  "-target-dir",
                                                  "--target-directory",
                                                  "-aug-hls",
                                                  "--cuda-gpu-arch",
                                                  "--cuda-path"};

/// The value of `flag` if it is spelled `name=value`.
std::optional<std::string_view> valueAfterEquals(std::string_view flag, std::string_view name) {
  if (flag.size() > name.size() && flag.starts_with(name) && flag[name.size()] == '=')
    return flag.substr(name.size() + 1);
  return std::nullopt;
}

Words splitList(std::string_view list) {
  Words parts;
  while (true) {
    const std::size_t comma = list.find(',');
    if (const std::string_view part = list.substr(0, comma); !part.empty())
      parts.emplace_back(part);
    if (comma == std::string_view::npos)
      return parts;
    list.remove_prefix(comma + 1);
  }
}

class Translator {
public:
  Words run(const Words &flags) {
    for (std::size_t i = 0; i < flags.size(); ++i) {
      next_ = i + 1 < flags.size() ? &flags[i + 1] : nullptr;
      tookNext_ = false;
      translate(flags[i]);
      i += tookNext_;
    }
    return std::move(kept_);
  }

private:
  std::string takeNext() {
    tookNext_ = next_ != nullptr;
    return next_ ? *next_ : std::string();
  }

  void translate(std::string_view flag) {
    for (const std::string_view name : {"-std", "--std"})
      if (const auto value = valueOf(flag, name))
        return keepStandard(*value);
    for (const std::string_view name : {"-Xcompiler", "--compiler-options"})
      if (const auto value = valueOf(flag, name))
        return keepHostFlags(*value);
    for (const std::string_view name : kDroppedWithValue)
      if (flag == name) {
        takeNext();
        return;
      }
    for (const KeptFlag &known : kKept)
      if (keep(flag, known))
        return;
  }

  /// `name value` or `name=value`.
  std::optional<std::string> valueOf(std::string_view flag, std::string_view name) {
    if (flag == name)
      return takeNext();
    if (const auto value = valueAfterEquals(flag, name))
      return std::string(*value);
    return std::nullopt;
  }

  bool keep(std::string_view flag, const KeptFlag &known) {
    std::optional<std::string> value;
    if (!known.longName.empty())
      value = valueOf(flag, known.longName);
    if (!value)
      value = valueOf(flag, known.name);
    if (!value && flag.starts_with(known.name))
      value = std::string(flag.substr(known.name.size()));
    if (!value)
      return false;
    for (std::string &part : known.isList ? splitList(*value) : Words{*value}) {
      kept_.emplace_back(known.name);
      kept_.push_back(std::move(part));
    }
    return true;
  }

  /// The CUDA headers need C++17, and a program in an older dialect is one in that, too.
  void keepStandard(const std::string &standard) {
    const std::size_t plus = standard.rfind('+');
    const std::string year = plus == std::string::npos ? standard : standard.substr(plus + 1);
    for (const std::string_view old : {"98", "03", "11", "0x", "14", "1y", "17", "1z"})
      if (year == old)
        return;
    kept_.push_back("-std=" + standard);
  }

  /// Of what goes to the host compiler, the part that changes what is parsed.
  void keepHostFlags(const std::string &list) {
    for (const std::string &flag : splitList(list))
      for (const std::string_view name : {"-D", "-U", "-I"})
        if (flag.starts_with(name) && flag.size() > name.size()) {
          kept_.emplace_back(name);
          kept_.push_back(flag.substr(name.size()));
        }
  }

  Words kept_;
  const std::string *next_ = nullptr;
  bool tookNext_ = false;
};

} // namespace

CompileCommand commandFor(const std::vector<std::string> &files, std::vector<std::string> flags,
                          std::string cudaHeaders) {
  return {
      files.front(), std::move(flags), std::move(cudaHeaders), {files.begin() + 1, files.end()}};
}

std::vector<std::string> toClangFlags(const std::vector<std::string> &nvccFlags) {
  return Translator().run(nvccFlags);
}

FloatMath floatMathOf(const std::vector<std::string> &nvccFlags) {
  bool isFast = false;
  std::optional<bool> divisions, roots;
  for (std::size_t i = 0; i < nvccFlags.size(); ++i) {
    std::string flag = nvccFlags[i];
    const bool takesNext =
        std::ranges::find(kDroppedWithValue, flag) != std::end(kDroppedWithValue) ||
        flag == "-Xcompiler" || flag == "--compiler-options";
    if (takesNext && i + 1 < nvccFlags.size())
      flag += "=" + nvccFlags[++i];
    // nvcc takes its long names behind one dash as well.
    flag.erase(0, flag.starts_with("--") ? 1 : 0);
    if (flag == "-use_fast_math")
      isFast = true;
    else if (const auto exact = valueAfterEquals(flag, "-prec-div"))
      divisions = *exact != "false";
    else if (const auto root = valueAfterEquals(flag, "-prec-sqrt"))
      roots = *root != "false";
  }
  return {divisions.value_or(!isFast), roots.value_or(!isFast), !isFast};
}

} // namespace relayout::instrument
