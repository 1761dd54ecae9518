// SPDX-License-Identifier: Apache-2.0
// Reads JSON that people write or edit: what is not as it should be is an error that names the
// place. Whoever includes this links nlohmann_json.
#pragma once

#include "relayout/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relayout {

/// What JsonValue throws and readJson catches; nobody else sees it.
struct JsonMismatch {
  std::string what;
  Code code = Code::None; ///< None: that of the file
};

/// A value and what it is called in messages: "'tile'", "a member of 'programs'", "the file".
class JsonValue {
public:
  using Json = nlohmann::ordered_json;

  JsonValue(const Json &json, std::string name) : json_(&json), name_(std::move(name)) {}

  /// \throws JsonMismatch as all below, where the value is of another kind
  [[nodiscard]] JsonValue at(const char *key) const {
    if (auto found = find(key))
      return *found;
    throw JsonMismatch{name_ + " lacks '" + key + "'"};
  }

  [[nodiscard]] std::optional<JsonValue> find(const char *key) const {
    const auto found = object().find(key);
    if (found == object().end())
      return std::nullopt;
    return JsonValue(*found, quoted(key));
  }

  /// A misspelt key would be silently ignored.
  void hasOnly(std::initializer_list<std::string_view> known) const {
    for (const auto &[key, value] : object().items()) {
      bool isKnown = false;
      for (const std::string_view name : known)
        isKnown |= name == key;
      if (!isKnown)
        throw JsonMismatch{name_ + " has the unknown key " + quoted(key)};
    }
  }

  [[nodiscard]] std::vector<std::pair<std::string, JsonValue>> members() const {
    std::vector<std::pair<std::string, JsonValue>> all;
    for (const auto &[key, value] : object().items())
      all.emplace_back(key, JsonValue(value, quoted(key)));
    return all;
  }

  [[nodiscard]] std::vector<JsonValue> list() const {
    expect(json_->is_array(), "a list");
    std::vector<JsonValue> all;
    for (const Json &value : *json_)
      all.emplace_back(value, "a member of " + name_);
    return all;
  }

  [[nodiscard]] const std::string &text() const {
    expect(json_->is_string(), "a string");
    return json_->get_ref<const std::string &>();
  }

  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const JsonValue &value : list())
      all.push_back(value.text());
    return all;
  }

  [[nodiscard]] bool flag() const {
    expect(json_->is_boolean(), "true or false");
    return json_->get<bool>();
  }

  /// \param code  of a number that is none such; None: that of the file
  [[nodiscard]] std::uint64_t count(std::uint64_t most, Code code = Code::None) const {
    if (!json_->is_number_unsigned() || json_->get<std::uint64_t>() > most)
      throw JsonMismatch{name_ + " is not a count up to " + std::to_string(most), code};
    return json_->get<std::uint64_t>();
  }

  [[nodiscard]] bool isNull() const { return json_->is_null(); }

  [[nodiscard]] double nonNegativeNumber() const {
    expect(json_->is_number() && json_->get<double>() >= 0, "a number from 0 up");
    return json_->get<double>();
  }

  [[nodiscard]] double positiveNumber() const {
    expect(json_->is_number() && json_->get<double>() > 0, "a positive number");
    return json_->get<double>();
  }

  [[noreturn]] void fail(const std::string &what, Code code = Code::None) const {
    throw JsonMismatch{name_ + " " + what, code};
  }
  [[nodiscard]] const std::string &name() const { return name_; }

private:
  static std::string quoted(const std::string &key) { return "'" + key + "'"; }

  void expect(bool isAsExpected, const std::string &kind) const {
    if (!isAsExpected)
      throw JsonMismatch{name_ + " is not " + kind};
  }

  [[nodiscard]] const Json &object() const {
    expect(json_->is_object(), "a JSON object");
    return *json_;
  }

  const Json *json_;
  std::string name_;
};

/// Parses a text, in which comments are allowed, and reads it.
/// \param code  of what is wrong with it
/// \param read  takes the whole as a JsonValue, "the file"
/// \error  as `code`, without a place
template <class Read>
[[nodiscard]] auto readJson(std::string_view text, Code code, const Read &read)
    -> Result<decltype(read(std::declval<JsonValue>()))> {
  try {
    const auto json = JsonValue::Json::parse(text, nullptr, /*allow_exceptions=*/true,
                                             /*ignore_comments=*/true);
    return read(JsonValue(json, "the file"));
  } catch (const JsonMismatch &mismatch) {
    return fail(mismatch.code == Code::None ? code : mismatch.code, mismatch.what);
  } catch (const nlohmann::json::exception &exception) {
    // The library's words without its "[json.exception.parse_error.101] ".
    const std::string_view what = exception.what();
    const std::size_t end = what.find("] ");
    return fail(code, std::string(end == std::string_view::npos ? what : what.substr(end + 2)));
  }
}

} // namespace relayout
