#include "app/commands/json_object.h"

#include <utility>

namespace spindle::app {

JsonValue::JsonValue(const std::string& text) { json::Writer(json_.emplace()).string(text); }

JsonValue::JsonValue(double number) { json::Writer(json_.emplace()).number(number); }

std::string jsonObject(std::initializer_list<JsonMember> members) {
  std::string object;
  json::Writer out(object);
  out.beginObject();
  for (const auto& [name, value] : members) {
    if (value.json()) out.key(name).raw(*value.json());
  }
  out.endObject();
  return object;
}

std::optional<json::Text> objectIfAny(std::initializer_list<JsonMember> members) {
  std::string object = jsonObject(members);
  if (object == "{}") return std::nullopt;
  return json::Text{std::move(object)};
}

}  // namespace spindle::app
