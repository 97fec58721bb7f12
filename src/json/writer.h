#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::json {

/// A JSON value kept as text, valid by construction: it came out of a Document or a Writer.
struct Text {
  std::string json = "null";
  bool operator==(const Text&) const = default;
};

/// Writes compact JSON piece by piece, placing commas itself. Calls must come in an order that
/// makes a document; that is the caller's business.
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
  /// The shortest decimal that reads back as the same double, always with a point or an exponent;
  /// null when it is not finite.
  Writer& number(double value);
  Writer& string(std::string_view value);
  /// JSON text as it is.
  Writer& raw(std::string_view json);

 private:
  void separate();

  std::string& out_;
  bool comma_ = false;
};

/// The text with the white space between tokens taken out. The input must be valid JSON.
std::string compact(std::string_view json);

/// The shortest text that reads back as the same finite double: 0.1, 1.0, 1e+22.
std::string shortestNumber(double value);

}  // namespace spindle::json
