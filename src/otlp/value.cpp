#include "otlp/value.h"

#include <algorithm>

namespace spindle::otlp {
namespace {

struct Truth {
  bool operator()(std::monostate) const { return false; }
  bool operator()(bool value) const { return value; }
  bool operator()(std::int64_t value) const { return value != 0; }
  bool operator()(double value) const { return value != 0; }
  bool operator()(std::string_view value) const { return !value.empty(); }
  bool operator()(const Bytes& value) const { return !value.bytes.empty(); }
  bool operator()(const List& value) const { return !value.empty(); }
  bool operator()(const Map& value) const { return !value.empty(); }
};

}  // namespace

const Value* Value::find(std::string_view name) const {
  const Map* map = asMap();
  if (map == nullptr) return nullptr;
  const auto found = std::find_if(map->begin(), map->end(),
                                  [name](const Member& member) { return member.name == name; });
  return found == map->end() ? nullptr : &found->value;
}

Value* Value::find(std::string_view name) {
  Map* map = asMap();
  if (map == nullptr) return nullptr;
  const auto found = std::find_if(map->begin(), map->end(),
                                  [name](const Member& member) { return member.name == name; });
  return found == map->end() ? nullptr : &found->value;
}

bool Value::isTruthy() const { return std::visit(Truth{}, held_); }

}  // namespace spindle::otlp
