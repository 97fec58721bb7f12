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
/// In the order of arrival.
using Map = std::vector<Member>;

/// Bytes that are not text.
struct Bytes {
  std::string_view bytes;
};

/// What an attribute holds. Texts are views: of the request, or of the TextArena beside it.
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

  // Null where the value is of another kind.
  const bool* asBool() const { return std::get_if<bool>(&held_); }
  const std::int64_t* asInteger() const { return std::get_if<std::int64_t>(&held_); }
  const double* asReal() const { return std::get_if<double>(&held_); }
  const std::string_view* asText() const { return std::get_if<std::string_view>(&held_); }
  const Bytes* asBytes() const { return std::get_if<Bytes>(&held_); }
  const List* asList() const { return std::get_if<List>(&held_); }
  const Map* asMap() const { return std::get_if<Map>(&held_); }
  List* asList() { return std::get_if<List>(&held_); }
  Map* asMap() { return std::get_if<Map>(&held_); }

  /// The member of that name; null when there is none, or this is no map.
  const Value* find(std::string_view name) const;
  Value* find(std::string_view name);

  /// Whether Python takes it for true: neither null, false, zero nor empty.
  bool isTruthy() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string_view, Bytes, List, Map>
      held_;
};

struct Member {
  std::string_view name;
  Value value = {};
};

// Here, where Member is complete: clang asks for it wherever a value is made.
inline Value::Value() = default;
inline Value::Value(bool value) : held_(value) {}
inline Value::Value(std::int64_t value) : held_(value) {}
inline Value::Value(double value) : held_(value) {}
inline Value::Value(std::string_view value) : held_(value) {}
inline Value::Value(Bytes value) : held_(value) {}
inline Value::Value(List value) : held_(std::move(value)) {}
inline Value::Value(Map value) : held_(std::move(value)) {}

/// Texts that are not part of the request as it came: escapes undone, parts replaced. What is kept
/// stays where it is. One thread at a time.
class TextArena {
 public:
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

 private:
  std::deque<std::string> texts_;
};

}  // namespace spindle::otlp
