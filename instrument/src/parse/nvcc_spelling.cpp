// SPDX-License-Identifier: Apache-2.0
// Finds what Clang's parser does not take by characters: its lexer knows no launch that stands
// apart.
#include "parse/nvcc_spelling.h"

#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string_view>

namespace relayout::instrument {
namespace {

/// Of either side of a launch.
constexpr std::size_t kBrackets = 3;

constexpr std::string_view kExecutionSpaces[] = {"__device__", "__host__", "__global__"};
constexpr std::string_view kAttribute = "[[";
constexpr std::string_view kBlanks = " \t\r\f\v";

/// Whether comments, at least one, are all that follows in the line.
bool endsLineWithComment(std::string_view text, std::size_t at) {
  bool isCommented = false;
  while (true) {
    at = std::min(text.find_first_not_of(kBlanks, at), text.size());
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//"))
      return true;
    if (!rest.starts_with("/*"))
      return isCommented && (rest.empty() || rest.front() == '\n');
    const std::size_t end = text.find("*/", at + 2);
    if (end >= text.find('\n', at)) // both are missing, or the comment goes on
      return false;
    isCommented = true;
    at = end + 2;
  }
}

constexpr std::string_view kConst = "const";

/// Where `const` stands behind a `&` at this place; npos: nowhere. No expression has it there.
std::size_t constBehindReference(std::string_view text, std::size_t at) {
  if (text[at] != '&')
    return std::string_view::npos;
  const std::size_t word = std::min(text.find_first_not_of(" \t\r\n", at + 1), text.size());
  const std::size_t end = word + kConst.size();
  const bool isWhole =
      text.substr(word).starts_with(kConst) &&
      (end == text.size() ||
       (std::isalnum(static_cast<unsigned char>(text[end])) == 0 && text[end] != '_'));
  return isWhole ? word : std::string_view::npos;
}

/// Reads C++ far enough to know what is neither comment nor literal.
class Respeller {
public:
  explicit Respeller(std::string text) : text_(std::move(text)) {}

  std::string run() {
    while (at_ < text_.size())
      if (!skipCommentOrLiteral() && !joinLaunch() && !moveAttribute() && !dropContinuation() &&
          !dropConst())
        ++at_;
    return std::move(text_);
  }

private:
  [[nodiscard]] bool startsWith(std::string_view what) const {
    return std::string_view(text_).substr(at_).starts_with(what);
  }

  void skipPast(std::string_view end, std::size_t from) {
    const std::size_t found = text_.find(end, from);
    at_ = found == std::string::npos ? text_.size() : found + end.size();
  }

  bool skipCommentOrLiteral() {
    if (startsWith("//")) {
      skipPast("\n", at_);
    } else if (startsWith("/*")) {
      skipPast("*/", at_ + 2);
    } else if (startsWith("R\"")) {
      const std::size_t open = text_.find('(', at_);
      if (open == std::string::npos)
        return false;
      skipPast(")" + text_.substr(at_ + 2, open - at_ - 2) + "\"", open);
    } else if (text_[at_] == '"' || (text_[at_] == '\'' && !isDigitSeparator())) {
      const char quote = text_[at_++];
      while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n')
        at_ += text_[at_] == '\\' ? 2 : 1;
      ++at_;
    } else {
      return false;
    }
    return true;
  }

  [[nodiscard]] bool isDigitSeparator() const {
    return at_ > 0 && std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0;
  }

  /// Behind three of the character, with space between; nothing where they are not there.
  [[nodiscard]] std::optional<std::size_t> endOfThree(char bracket) const {
    std::size_t end = at_;
    for (std::size_t found = 0; found < kBrackets; ++found) {
      while (found != 0 && end < text_.size() &&
             std::isspace(static_cast<unsigned char>(text_[end])) != 0)
        ++end;
      if (end == text_.size() || text_[end] != bracket)
        return std::nullopt;
      ++end;
    }
    return end;
  }

  /// Moves the three brackets at the cursor together, and goes behind them.
  void join(std::size_t end, char bracket) {
    std::string space;
    for (std::size_t i = at_; i < end; ++i)
      if (text_[i] != bracket)
        space += text_[i];
    text_.replace(at_, end - at_, std::string(kBrackets, bracket) + space);
    at_ = end;
  }

  /// `operator<< <T>` and its like have the same characters.
  [[nodiscard]] bool isOperatorName() const {
    std::size_t end = at_;
    while (end > 0 && std::isspace(static_cast<unsigned char>(text_[end - 1])) != 0)
      --end;
    constexpr std::string_view kOperator = "operator";
    return end >= kOperator.size() &&
           text_.compare(end - kOperator.size(), kOperator.size(), kOperator) == 0;
  }

  bool joinLaunch() {
    const auto opened = endOfThree('<');
    if (!opened || isOperatorName())
      return false;
    join(*opened, '<');
    for (int depth = 0; at_ < text_.size();) {
      if (skipCommentOrLiteral())
        continue;
      const char now = text_[at_];
      if (now == ';')
        return true;
      depth += now == '(' || now == '[' || now == '{' ? 1 : 0;
      depth -= now == ')' || now == ']' || now == '}' ? 1 : 0;
      if (const auto closed = depth == 0 ? endOfThree('>') : std::nullopt) {
        join(*closed, '>');
        return true;
      }
      ++at_;
    }
    return true;
  }

  /// Where the execution spaces that end at the place begin; the place itself where there are none.
  [[nodiscard]] std::size_t spacesBefore(std::size_t end) const {
    std::size_t begin = end;
    while (end > 0 && std::isspace(static_cast<unsigned char>(text_[end - 1])) != 0)
      --end;
    for (const std::string_view space : kExecutionSpaces)
      if (std::string_view(text_).substr(0, end).ends_with(space))
        begin = spacesBefore(end - space.size());
    return begin;
  }

  /// `__device__ [[nodiscard]]` becomes `[[nodiscard]]__device__ `.
  bool moveAttribute() {
    const std::size_t begin = startsWith(kAttribute) ? spacesBefore(at_) : at_;
    const std::size_t close = begin == at_ ? std::string::npos : text_.find("]]", at_);
    if (close == std::string::npos)
      return false;
    const auto offset = [this](std::size_t at) {
      return text_.begin() + static_cast<std::ptrdiff_t>(at);
    };
    std::rotate(offset(begin), offset(at_), offset(close + 2));
    at_ = close + 2;
    return true;
  }

  /// Whether the line, with those that it goes on from, is a directive: there the end of the line
  /// ends more than a token.
  [[nodiscard]] bool isInDirective() const {
    const std::string_view before = std::string_view(text_).substr(0, at_);
    std::size_t begin = before.rfind('\n');
    while (begin != std::string_view::npos && begin != 0) {
      const std::size_t last = before.find_last_not_of(kBlanks, begin - 1);
      if (last == std::string_view::npos || before[last] != '\\')
        break;
      begin = before.rfind('\n', last);
    }
    const std::size_t first =
        before.find_first_not_of(kBlanks, begin == std::string_view::npos ? 0 : begin + 1);
    return first != std::string_view::npos && before[first] == '#';
  }

  /// `1 + \ // one` goes on in the next line once the preprocessor has taken the comment out.
  bool dropContinuation() {
    if (text_[at_] != '\\' || !endsLineWithComment(text_, at_ + 1) || isInDirective())
      return false;
    text_[at_++] = ' ';
    return true;
  }

  /// Blanks take the place of the word.
  bool dropConst() {
    const std::size_t word = constBehindReference(text_, at_);
    if (word == std::string_view::npos)
      return false;
    text_.replace(word, kConst.size(), kConst.size(), ' ');
    at_ = word;
    return true;
  }

  std::string text_;
  std::size_t at_ = 0;
};

/// Whether the file may have a spelling that Clang does not take; most have none.
bool mayDiffer(std::string_view text) {
  if (text.find(kAttribute) != std::string_view::npos)
    return true;
  for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at + 1))
    if (endsLineWithComment(text, at + 1))
      return true;
  for (std::size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1))
    if (constBehindReference(text, at) != std::string_view::npos)
      return true;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    std::size_t next = at + 1;
    while (next < text.size() && std::isspace(static_cast<unsigned char>(text[next])) != 0)
      ++next;
    if (next != at + 1 && next < text.size() && text[next] == '<')
      return true;
  }
  return text.find(">> >") != std::string_view::npos || text.find("> >>") != std::string_view::npos;
}

class RespelledFile : public llvm::vfs::File {
public:
  explicit RespelledFile(std::unique_ptr<llvm::vfs::File> file) : file_(std::move(file)) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return file_->status(); }
  llvm::ErrorOr<std::string> getName() override { return file_->getName(); }
  std::error_code close() override { return file_->close(); }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
  getBuffer(const llvm::Twine &name, int64_t size, bool needsNull, bool isVolatile) override {
    auto buffer = file_->getBuffer(name, size, needsNull, isVolatile);
    if (!buffer)
      return buffer;
    const std::string_view text((*buffer)->getBufferStart(), (*buffer)->getBufferSize());
    if (!mayDiffer(text))
      return buffer;
    return llvm::MemoryBuffer::getMemBufferCopy(clangSpelling(std::string(text)),
                                                (*buffer)->getBufferIdentifier());
  }

private:
  std::unique_ptr<llvm::vfs::File> file_;
};

class RespelledFiles : public llvm::vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &path) override {
    auto file = ProxyFileSystem::openFileForRead(path);
    if (!file)
      return file;
    return std::make_unique<RespelledFile>(std::move(*file));
  }
};

} // namespace

std::string clangSpelling(std::string text) { return Respeller(std::move(text)).run(); }

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withClangSpelling(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files) {
  return llvm::makeIntrusiveRefCnt<RespelledFiles>(std::move(files));
}

} // namespace relayout::instrument
