#include "tracing/stats/call_stats_json.h"

#include "json/writer.h"

namespace spindle::tracing {

std::string bucketsJson(const std::vector<BucketRow>& rows,
                        const Buckets& buckets,
                        const std::vector<Figure>& figures,
                        bool by_model) {
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
    if (by_model) out.key("model").string(row.model);
    for (std::size_t i = 0; i < figures.size(); ++i)
      std::visit(Write{out.key(figures[i].key)}, row.values[i]);
    out.key("count").integer(row.count);
    out.endObject();
  }
  out.endArray();
  return text;
}

}  // namespace spindle::tracing
