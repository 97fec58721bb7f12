#include "inference/adapters/adapter_metadata.h"

#include <optional>
#include <string_view>
#include <utility>

#include "inference/catalogue/json_object.h"
#include "json/document.h"
#include "wire/spelling.h"

namespace spindle::inference {
namespace {

/// Returns the name of a member without the platform's prefix.
std::string plainName(const std::string& name) {
  std::string neutral = wire::neutralAttribute(name).value_or(name);
  for (const std::string_view prefix : {"svcp.", "svc."}) {
    if (neutral.starts_with(prefix)) return neutral.substr(prefix.size());
  }
  return neutral;
}

}  // namespace

AdapterMetadata adapterMetadataOf(std::string metadata) {
  AdapterMetadata found;
  const std::optional<json::Document> document = parseObject(std::move(metadata));
  if (!document) return found;
  const json::Node root = document->root();
  for (auto at = root.begin(); at != root.end(); ++at) {
    const std::string name = plainName((*at).text());
    const json::Node value = *++at;
    if (name == "base_model" && value.isString()) found.base_model = value.text();
    if (name == "model_id") found.trained = value.isString();
    if (name == "identity") found.identity = value.isBool() && value.boolean();
  }
  return found;
}

}  // namespace spindle::inference
