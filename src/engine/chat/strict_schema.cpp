#include "engine/chat/strict_schema.h"

#include <variant>

#include "json/document.h"
#include "json/writer.h"

namespace spindle::engine {
namespace {

void writeSchema(const json::Node& schema, json::Writer& out);

/// Writes an object whose values are schemas. Iteration yields names and values alternately.
void writeMap(const json::Node& map, json::Writer& out) {
  out.beginObject();
  bool is_name = true;
  for (const json::Node node : map) {
    if (is_name) {
      out.key(node.text());
    } else {
      writeSchema(node, out);
    }
    is_name = !is_name;
  }
  out.endObject();
}

void writeMember(const std::string& name, const json::Node& value, json::Writer& out) {
  out.key(name);
  const bool holds_map = name == "properties" || name == "$defs" || name == "definitions";
  const bool holds_list =
      name == "anyOf" || name == "oneOf" || name == "allOf" || name == "prefixItems";
  const bool holds_schema = name == "items" || name == "not";
  if (holds_map && value.isObject()) {
    writeMap(value, out);
  } else if (holds_list && value.isArray()) {
    out.beginArray();
    for (const json::Node item : value) writeSchema(item, out);
    out.endArray();
  } else if (holds_schema) {
    writeSchema(value, out);
  } else {
    out.raw(value.raw());
  }
}

void writeSchema(const json::Node& schema, json::Writer& out) {
  if (!schema.isObject()) {
    out.raw(schema.raw());
    return;
  }
  const std::optional<json::Node> properties = schema.find("properties");
  const bool closes = properties && properties->isObject();
  out.beginObject();
  std::optional<std::string> name;
  for (const json::Node node : schema) {
    if (!name) {
      name = node.text();
      continue;
    }
    if (!closes || (*name != "required" && *name != "additionalProperties"))
      writeMember(*name, node, out);
    name.reset();
  }
  if (closes) {
    out.key("required").beginArray();
    bool is_name = true;
    for (const json::Node node : *properties) {
      if (is_name) out.string(node.text());
      is_name = !is_name;
    }
    out.endArray();
    out.key("additionalProperties").boolean(false);
  }
  out.endObject();
}

}  // namespace

std::string strictSchema(std::string_view schema) {
  const auto parsed = json::Document::parse(std::string(schema));
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr) return std::string(schema);
  std::string text;
  json::Writer out(text);
  writeSchema(document->root(), out);
  return text;
}

}  // namespace spindle::engine
