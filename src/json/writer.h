#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::json {

/// A JSON value stored as text. Valid by construction: a Document or a Writer produced it.
struct Text {
  std::string json = "null";
  bool operator==(const Text&) const = default;
};

/// Writes compact JSON token by token and adds the commas. Does not validate: the caller must make
/// the calls in an order that results in a JSON document.
class Writer {
 public:
  /// Appends to `out`, which must outlive the writer.
  explicit Writer(std::string& out) : out_(out) {}

  Writer& beginObject();
  Writer& endObject();
  Writer& beginArray();
  Writer& endArray();
  Writer& key(std::string_view name);

  Writer& null();
  Writer& boolean(bool value);
  Writer& integer(std::int64_t value);
  /// Writes the shortest decimal that parses to the same double, always with a point or an
  /// exponent. Writes null if the value is not finite.
  Writer& number(double value);
  Writer& string(std::string_view value);
  /// Writes JSON text unchanged.
  Writer& raw(std::string_view json);

 private:
  void separate();
  Writer& begin(char bracket);
  Writer& end(char bracket);

  std::string& out_;
  bool comma_ = false;
};

/// Returns the text without white space between tokens. The input must be valid JSON.
std::string compact(std::string_view json);

/// Returns the shortest text that parses to the same finite double: 0.1, 1.0, 1e+22.
std::string shortestNumber(double value);

}  // namespace spindle::json
