#include "tracing/metadata/text_list_json.h"

#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::tracing {

std::string textListJson(const std::vector<std::string>& texts) {
  std::string json;
  json::Writer out(json);
  out.beginArray();
  for (const std::string& text : texts) out.string(text);
  out.endArray();
  return json;
}

std::vector<std::string> parseTextList(const std::string& json) {
  std::vector<std::string> texts;
  auto parsed = json::Document::parse(json, json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isArray()) return texts;
  for (const json::Node item : document->root()) {
    if (item.isString()) texts.push_back(item.text());
  }
  return texts;
}

}  // namespace spindle::tracing
