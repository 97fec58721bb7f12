#include "inference/catalogue/json_object.h"

#include <utility>
#include <variant>

namespace spindle::inference {

std::optional<json::Document> parseObject(std::string text) {
  std::variant<json::Document, json::SyntaxError> parsed = json::Document::parse(std::move(text));
  auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) return std::nullopt;
  return std::move(*document);
}

}  // namespace spindle::inference
