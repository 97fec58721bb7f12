#include "inference/catalogue/upstream_models_json.h"

#include <utility>

#include "inference/catalogue/json_object.h"

namespace spindle::inference {
namespace {

std::optional<std::string> textAt(const json::Node& node, std::string_view name) {
  if (!node.isObject()) return std::nullopt;
  const std::optional<json::Node> value = node.find(name);
  if (!value || !value->isString()) return std::nullopt;
  return value->text();
}

}  // namespace

std::optional<std::vector<std::string>> modelNamesIn(std::string text, std::size_t most) {
  const std::optional<json::Document> document = parseObject(std::move(text));
  if (!document) return std::nullopt;
  const std::optional<json::Node> data = document->root().find("data");
  if (!data || !data->isArray()) return std::nullopt;
  std::vector<std::string> names;
  for (const json::Node item : *data) {
    if (names.size() == most) break;
    if (std::optional<std::string> id = textAt(item, "id")) names.push_back(*std::move(id));
  }
  return names;
}

std::string messageIn(const std::string& text) {
  const std::optional<json::Document> document = parseObject(text);
  if (!document) return text;
  const json::Node root = document->root();
  if (const std::optional<json::Node> error = root.find("error")) {
    if (error->isString()) return error->text();
    if (std::optional<std::string> message = textAt(*error, "message")) return *message;
  }
  for (const char* name : {"message", "detail"}) {
    if (std::optional<std::string> message = textAt(root, name)) return *message;
  }
  return text;
}

}  // namespace spindle::inference
