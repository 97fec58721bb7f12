#include "agents/query/span_view_json.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "agents/store/span_column.h"
#include "agents/store/span_json.h"
#include "base/core/time.h"
#include "json/document.h"
#include "json/stored.h"

namespace spindle::agents {
namespace {

using json::Writer;

void writeTexts(const std::vector<std::string>& texts, Writer& out) {
  out.beginArray();
  for (const std::string& text : texts) out.string(text);
  out.endArray();
}

void writeAmount(const std::optional<double>& amount, Writer& out) {
  if (amount) {
    out.number(*amount);
  } else {
    out.null();
  }
}

void writeTime(const std::optional<Timestamp>& time, Writer& out) {
  if (time) {
    out.string(formatTimestamp(*time));
  } else {
    out.null();
  }
}

/// Writes the value of a column of a span.
struct WriteMember {
  const AgentSpan& span;
  Writer& out;

  void operator()(std::string AgentSpan::*member) const { out.string(span.*member); }
  void operator()(std::int64_t AgentSpan::*member) const { out.integer(span.*member); }
  void operator()(double AgentSpan::*member) const { out.number(span.*member); }
  void operator()(Timestamp AgentSpan::*member) const { out.string(formatTimestamp(span.*member)); }
  void operator()(std::optional<std::int64_t> AgentSpan::*member) const {
    if (span.*member) {
      out.integer(*(span.*member));
    } else {
      out.null();
    }
  }
  void operator()(std::optional<Timestamp> AgentSpan::*member) const {
    writeTime(span.*member, out);
  }
  void operator()(std::vector<std::string> AgentSpan::*member) const {
    writeTexts(span.*member, out);
  }
  void operator()(std::vector<SpanMessage> AgentSpan::*member) const {
    out.raw(messagesJson(span.*member));
  }
};

/// Writes the value of a column that was not requested: an empty list, or null.
struct WriteAbsent {
  Writer& out;

  template <class T>
  void operator()(T AgentSpan::* /*member*/) const {
    out.null();
  }
  template <class T>
  void operator()(std::vector<T> AgentSpan::* /*member*/) const {
    out.beginArray().endArray();
  }
};

/// Writes the requested members of a JSON object.
void writeCustom(const std::string& object,
                 std::string_view source,
                 const std::vector<ValueRef>& asked,
                 Writer& out) {
  out.beginObject();
  const auto parsed = json::Document::parse(object.empty() ? "{}" : object, json::kStoredDepth);
  if (const auto* document = std::get_if<json::Document>(&parsed)) {
    for (const ValueRef& ref : asked) {
      if (ref.source != source) continue;
      if (const std::optional<json::Node> value = document->root().find(customKey(ref.key)))
        out.key(ref.key).raw(value->raw());
    }
  }
  out.endObject();
}

void writeSpan(const ListedSpan& one,
               const SpanQuery& span_query,
               std::string_view project,
               wire::Spelling spelling,
               Writer& out) {
  out.beginObject().key("project_id").string(project);
  for (const SpanColumn& column : kSpanColumns) {
    if (!column.is(kListed) && !column.is(kDetail)) continue;
    out.key(wire::memberFor(spelling, column.name));
    if (column.is(kListed) || span_query.details) {
      std::visit(WriteMember{one.span, out}, column.member);
    } else {
      std::visit(WriteAbsent{out}, column.member);
    }
  }
  for (std::size_t i = 0; i < kCustomTypes.size(); ++i) {
    const std::string_view source = columnOf(kCustomTypes[i]);
    out.key(source);
    writeCustom(one.custom[i], source, span_query.custom_columns, out);
  }
  const auto amount = [&](std::string_view name, auto part) {
    out.key(name);
    writeAmount(one.cost ? std::optional<double>(part(*one.cost)) : std::nullopt, out);
  };
  using pricing::Cost;
  amount("input_cost_usd", [](const Cost& cost) { return cost.prompt; });
  amount("output_cost_usd", [](const Cost& cost) { return cost.completion; });
  amount("cache_read_cost_usd", [](const Cost& cost) { return cost.cache_read; });
  amount("cache_creation_cost_usd", [](const Cost& cost) { return cost.cache_creation; });
  amount("total_cost_usd", [](const Cost& cost) { return cost.total(); });
  out.endObject();
}

std::string_view shortName(std::string_view source) { return source.substr(source.rfind('_') + 1); }

void writeDistribution(const Distribution& asked, const DistributionItem& item, Writer& out) {
  out.beginObject().key("alias").string(asked.alias).key("source").string(asked.value.source);
  out.key("key").string(asked.value.key);
  out.key("value_type").string(shortName(asked.value.source));
  out.key("total_count").integer(item.total).key("present_count").integer(item.present);
  out.key("missing_count").integer(item.total - item.present);
  out.key("other_count").integer(item.other).key("bins").beginArray();
  for (const DistributionBin& bin : item.bins) {
    out.beginObject().key("index").integer(bin.index).key("min").number(bin.min);
    out.key("max").number(bin.max).key("count").integer(bin.count).endObject();
  }
  out.endArray().key("values").beginArray();
  for (const DistributionValue& value : item.values)
    out.beginObject()
        .key("value")
        .string(value.value)
        .key("count")
        .integer(value.count)
        .endObject();
  out.endArray().endObject();
}

void writePreview(const std::optional<MessagePreview>& preview, Writer& out) {
  if (preview) {
    out.beginObject().key("role").string(preview->role);
    out.key("text").string(preview->text).endObject();
  } else {
    out.null();
  }
}

void writeGroup(const SpanGroup& group, const SpanQuery& span_query, Writer& out) {
  out.beginObject().key("group_keys").beginObject();
  for (std::size_t i = 0; i < span_query.group_by.size(); ++i) {
    out.key(aliasOf(span_query.group_by[i]));
    writeCell(group.keys[i], out);
  }
  out.endObject();
  for (std::size_t i = 0; i < kGroupCounts.size(); ++i)
    out.key(kGroupCounts[i]).integer(group.counts[i]);
  for (std::size_t i = 0; i < kGroupCosts.size(); ++i) {
    out.key(kGroupCosts[i]);
    writeAmount(group.costs[i], out);
  }
  for (std::size_t i = 0; i < kGroupNames.size(); ++i) {
    out.key(kGroupNames[i]);
    writeTexts(group.names[i], out);
  }
  out.key("first_seen");
  writeTime(group.first_seen, out);
  out.key("last_seen");
  writeTime(group.last_seen, out);
  out.key("first_message");
  writePreview(group.first_message, out);
  out.key("last_message");
  writePreview(group.last_message, out);
  out.key("metrics").beginObject();
  for (std::size_t i = 0; i < span_query.measures.size(); ++i) {
    out.key(span_query.measures[i].alias);
    writeCell(group.metrics[i], out);
  }
  out.endObject().key("distributions").beginObject();
  for (std::size_t i = 0; i < span_query.distributions.size(); ++i) {
    out.key(span_query.distributions[i].alias);
    writeDistribution(span_query.distributions[i], group.distributions[i], out);
  }
  out.endObject().endObject();
}

}  // namespace

void writeCell(const Cell& cell, Writer& out) {
  struct Write {
    Writer& out;
    void operator()(std::monostate) const { out.null(); }
    void operator()(std::int64_t value) const { out.integer(value); }
    void operator()(double value) const { out.number(value); }
    void operator()(bool value) const { out.boolean(value); }
    void operator()(const std::string& value) const { out.string(value); }
    void operator()(Timestamp value) const { out.string(formatTimestamp(value)); }
  };
  std::visit(Write{out}, cell);
}

std::string spanListJson(const SpanList& list,
                         const SpanQuery& span_query,
                         std::string_view project,
                         wire::Spelling spelling) {
  std::string text;
  Writer out(text);
  out.beginArray();
  for (const ListedSpan& one : list.spans) writeSpan(one, span_query, project, spelling, out);
  out.endArray();
  return text;
}

std::string spanGroupsJson(const SpanGroups& groups, const SpanQuery& span_query) {
  std::string text;
  Writer out(text);
  out.beginArray();
  for (const SpanGroup& group : groups.groups) writeGroup(group, span_query, out);
  out.endArray();
  return text;
}

}  // namespace spindle::agents
