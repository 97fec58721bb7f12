#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace spindle::otlp {

class Value;
struct Member;

using List = std::vector<Value>;
/// Members in the order of arrival.
using Map = std::vector<Member>;

/// A byte string (`bytesValue`), as opposed to text.
struct Bytes {
  std::string_view bytes;
};

/// The value of an attribute (OTLP `AnyValue`). Texts are views of the request or of its TextArena.
class Value {
 public:
  Value();
  explicit Value(bool value);
  explicit Value(std::int64_t value);
  explicit Value(double value);
  explicit Value(std::string_view value);
  explicit Value(Bytes value);
  explicit Value(List value);
  explicit Value(Map value);
  explicit Value(const char* value) = delete;  // would be a bool

  bool isNull() const { return held_.index() == 0; }
  bool isStructured() const { return asList() != nullptr || asMap() != nullptr; }

  // Return null if the value is of another kind.
  const bool* asBool() const { return std::get_if<bool>(&held_); }
  const std::int64_t* asInteger() const { return std::get_if<std::int64_t>(&held_); }
  const double* asReal() const { return std::get_if<double>(&held_); }
  const std::string_view* asText() const { return std::get_if<std::string_view>(&held_); }
  const Bytes* asBytes() const { return std::get_if<Bytes>(&held_); }
  const List* asList() const { return std::get_if<List>(&held_); }
  const Map* asMap() const { return std::get_if<Map>(&held_); }
  List* asList() { return std::get_if<List>(&held_); }
  Map* asMap() { return std::get_if<Map>(&held_); }

  /// Returns the member with this name; null if it does not exist or the value is not a map.
  const Value* find(std::string_view name) const;
  Value* find(std::string_view name);

  /// Returns true if the value is true in Python: neither null, false, zero nor empty.
  bool isTruthy() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string_view, Bytes, List, Map>
      held_;
};

struct Member {
  std::string_view name;
  Value value = {};
};

// Defined here, where Member is complete: clang requires that wherever a Value is constructed.
inline Value::Value() = default;
inline Value::Value(bool value) : held_(value) {}
inline Value::Value(std::int64_t value) : held_(value) {}
inline Value::Value(double value) : held_(value) {}
inline Value::Value(std::string_view value) : held_(value) {}
inline Value::Value(Bytes value) : held_(value) {}
inline Value::Value(List value) : held_(std::move(value)) {}
inline Value::Value(Map value) : held_(std::move(value)) {}

/// Owns texts that are not part of the request body, such as unescaped or repaired ones. A stored
/// text keeps its address. Use it from one thread at a time.
class TextArena {
 public:
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

 private:
  std::deque<std::string> texts_;
};

}  // namespace spindle::otlp
