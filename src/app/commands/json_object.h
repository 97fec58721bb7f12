#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json/writer.h"

namespace spindle::app {

/// A value of a JSON object that a command sends or prints, or nothing.
class JsonValue {
 public:
  // NOLINTBEGIN(google-explicit-constructor): objects are written as lists of members
  JsonValue(const std::string& text);
  JsonValue(const char* text) : JsonValue(std::string(text)) {}
  JsonValue(std::int64_t number) : json_(std::to_string(number)) {}
  JsonValue(std::uint64_t number) : json_(std::to_string(number)) {}
  JsonValue(double number);
  JsonValue(bool flag) : json_(flag ? "true" : "false") {}
  JsonValue(const json::Text& value) : json_(value.json) {}
  template <class T>
  JsonValue(const std::vector<T>& items) {
    json::Writer out(json_.emplace());
    out.beginArray();
    for (const T& item : items) out.raw(*JsonValue(item).json_);
    out.endArray();
  }
  /// Not set: the object does not contain the member.
  template <class T>
  JsonValue(const std::optional<T>& value) {
    if (value) json_ = JsonValue(*value).json_;
  }
  // NOLINTEND(google-explicit-constructor)

  const std::optional<std::string>& json() const { return json_; }

 private:
  std::optional<std::string> json_;
};

struct JsonMember {
  const char* name = "";
  JsonValue value;
};

/// Returns the JSON object of the members that have a value.
std::string jsonObject(std::initializer_list<JsonMember> members);
/// Returns the same as the value of a member; nothing if no member has a value.
std::optional<json::Text> objectIfAny(std::initializer_list<JsonMember> members);

/// Returns a value; nothing if `wanted` is false.
template <class T>
std::optional<T> onlyIf(bool wanted, T value) {
  return wanted ? std::optional<T>(std::move(value)) : std::nullopt;
}

/// Returns a list; nothing if it is empty.
template <class T>
std::optional<std::vector<T>> listIfAny(std::vector<T> list) {
  const bool any = !list.empty();
  return onlyIf(any, std::move(list));
}

}  // namespace spindle::app
