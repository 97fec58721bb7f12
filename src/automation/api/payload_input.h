#pragma once

#include <optional>
#include <string>
#include <variant>

#include "json/writer.h"
#include "schema/compound.h"
#include "schema/scalar.h"

namespace spindle::automation {

/// A template in a request: text, or a JSON object that is converted to text.
using PayloadInput = std::variant<std::string, json::Text>;

inline std::string templateText(const PayloadInput& payload) {
  const auto* text = std::get_if<std::string>(&payload);
  return text != nullptr ? *text : json::compact(std::get<json::Text>(payload).json);
}

inline schema::Codec<std::optional<PayloadInput>> payloadInputCodec() {
  return schema::nullable(
      schema::anyOf(schema::Alternative<std::string>{"str", schema::string()},
                    schema::Alternative<json::Text>{"object", schema::jsonObject()}));
}

}  // namespace spindle::automation
