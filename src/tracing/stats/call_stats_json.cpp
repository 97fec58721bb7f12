#include "tracing/stats/call_stats_json.h"

#include "json/writer.h"

namespace spindle::tracing {

std::string_view textOf(CallGroup::Kind kind) {
  switch (kind) {
    case CallGroup::Kind::kValue:
      return "value";
    case CallGroup::Kind::kMissing:
      return "missing";
    case CallGroup::Kind::kOther:
      return "other";
  }
  return {};
}

std::string bucketsJson(const std::vector<BucketRow>& rows,
                        const Buckets& buckets,
                        const std::vector<Figure>& figures,
                        Series series,
                        const std::vector<CallGroup>& groups) {
  struct Write {
    json::Writer& out;
    void operator()(std::monostate /*nothing*/) const { out.null(); }
    void operator()(std::int64_t number) const { out.integer(number); }
    void operator()(double number) const { out.number(number); }
  };
  std::string text;
  json::Writer out(text);
  out.beginArray();
  for (const BucketRow& row : rows) {
    out.beginObject();
    out.key("timestamp").string(formatTimestamp(buckets.begins[row.bucket]));
    if (series == Series::kModels) out.key("model").string(row.model);
    if (series == Series::kGroups) {
      const CallGroup& group = groups[row.group];
      out.key("group");
      group.kind == CallGroup::Kind::kValue ? out.string(group.value) : out.null();
      out.key("group_kind").string(textOf(group.kind));
    }
    for (std::size_t i = 0; i < figures.size(); ++i)
      std::visit(Write{out.key(figures[i].key)}, row.values[i]);
    out.key("count").integer(row.count);
    out.endObject();
  }
  out.endArray();
  return text;
}

}  // namespace spindle::tracing
