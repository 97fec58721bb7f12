#include "otlp/span_tree.h"

#include <algorithm>
#include <utility>

#include "base/crypto/crypto.h"
#include "json/writer.h"
#include "otlp/json_text.h"

namespace spindle::otlp {
namespace {

constexpr std::uint64_t kNanosPerMicro = 1000;
// The last microsecond of the year 9999.
constexpr std::uint64_t kLatestMicros = 253'402'300'799'999'999;

std::string jsonOf(const Value& value) {
  std::string text;
  appendJson(text, value);
  return text;
}

/// Writes the identity of a span or of the span of a link, as an object.
template <class Identified>
void writeContext(const Identified& span, json::Writer& out) {
  out.beginObject().key("trace_id").string(toHex(span.trace_id));
  out.key("span_id").string(toHex(span.span_id));
  out.key("trace_state").string(span.trace_state).endObject();
}

/// Writes the members for attributes of which some may have been dropped.
void writeAttributes(const AttributeTree& tree, std::uint32_t dropped, json::Writer& out) {
  out.key("attributes").raw(jsonOf(tree.root()));
  out.key("dropped_attributes_count").integer(dropped);
}

/// Returns the attributes of each event or link.
template <class Part>
Result<std::vector<AttributeTree>> treesOf(const std::vector<Part>& parts, TextArena& texts) {
  std::vector<AttributeTree> trees;
  trees.reserve(parts.size());
  for (const auto& part : parts) {
    AttributeTree tree = TRY(AttributeTree::build(part.attributes, texts));
    trees.push_back(std::move(tree));
  }
  return trees;
}

}  // namespace

Result<ResourceTree> treeOf(const ResourceSpans& resource, TextArena& texts) {
  AttributeTree attributes = TRY(AttributeTree::build(resource.attributes, texts));
  return ResourceTree{std::move(attributes), resource.dropped_attributes_count};
}

Result<SpanTree> treeOf(const Span& span, TextArena& texts) {
  AttributeTree attributes = TRY(AttributeTree::build(span.attributes, texts));
  std::vector<AttributeTree> events = TRY(treesOf(span.events, texts));
  std::vector<AttributeTree> links = TRY(treesOf(span.links, texts));
  return SpanTree{&span, std::move(attributes), std::move(events), std::move(links)};
}

std::string dumpResource(const ResourceTree& resource) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  writeAttributes(resource.attributes, resource.dropped_attributes_count, out);
  out.endObject();
  return text;
}

std::string dumpSpan(const SpanTree& tree, std::string_view resource_dump) {
  const Span& span = *tree.span;
  std::string text;
  json::Writer out(text);
  out.beginObject();
  out.key("name").string(span.name);
  writeContext(span, out.key("context"));
  out.key("kind").string(nameOf(span.kind));
  const std::string parent = parentIdOf(span);
  parent.empty() ? out.key("parent_id").null() : out.key("parent_id").string(parent);
  out.key("start_time").string(formatTimestamp(timeOf(span.start_time_unix_nano)));
  out.key("end_time").string(formatTimestamp(timeOf(span.end_time_unix_nano)));
  out.key("status").beginObject();
  out.key("code").string(nameOf(span.status)).key("message").string(span.status_message);
  out.endObject();
  out.key("attributes").raw(jsonOf(tree.attributes.root()));
  out.key("events").beginArray();
  for (std::size_t i = 0; i < tree.events.size(); ++i) {
    const Event& event = span.events[i];
    out.beginObject().key("name").string(event.name);
    out.key("timestamp").string(formatTimestamp(timeOf(event.time_unix_nano)));
    writeAttributes(tree.events[i], event.dropped_attributes_count, out);
    out.endObject();
  }
  out.endArray().key("links").beginArray();
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = span.links[i];
    out.beginObject();
    writeContext(link, out.key("context"));
    writeAttributes(tree.links[i], link.dropped_attributes_count, out);
    out.endObject();
  }
  out.endArray();
  if (!resource_dump.empty()) out.key("resource").raw(resource_dump);
  out.endObject();
  return text;
}

std::string parentIdOf(const Span& span) {
  const bool zeros = std::all_of(span.parent_span_id.begin(), span.parent_span_id.end(),
                                 [](char c) { return c == '\0'; });
  return zeros ? std::string() : toHex(span.parent_span_id);
}

Timestamp timeOf(std::uint64_t unix_nano) {
  return timestampOfMicros(
      static_cast<std::int64_t>(std::min(unix_nano / kNanosPerMicro, kLatestMicros)));
}

}  // namespace spindle::otlp
