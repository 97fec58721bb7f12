#include "tracing/routes/call_usage.h"

#include "json/document.h"
#include "json/writer.h"
#include "pricing/cost_json.h"
#include "tracing/ingest/stored_payload.h"

namespace spindle::tracing {

namespace {

std::vector<ModelUsage> usageByModel(const json::Node& models) {
  std::vector<ModelUsage> usage;
  if (!models.isObject()) return usage;
  for (auto at = models.begin(); at != models.end(); ++at) {
    std::string model = (*at).text();
    ++at;
    if ((*at).isObject()) usage.emplace_back(std::move(model), pricing::usageOf(*at));
  }
  return usage;
}

}  // namespace

std::vector<ModelUsage> usageIn(const Payload& usage) {
  auto parsed = json::Document::parse(usage, kMaxBodyDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  return document == nullptr ? std::vector<ModelUsage>() : usageByModel(document->root());
}

std::vector<ModelUsage> usageOf(const Call& call) {
  if (call.preview && call.preview->usage) return usageIn(*call.preview->usage);
  if (!call.summary || call.summary->find("\"usage\"") == std::string::npos) return {};
  auto parsed = json::Document::parse(*call.summary, kMaxBodyDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) return {};
  const std::optional<json::Node> models = document->root().find("usage");
  return models ? usageByModel(*models) : std::vector<ModelUsage>();
}

std::optional<std::string> costsOf(const Call& call,
                                   const pricing::ProjectPrices& prices,
                                   std::string_view project) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  bool any = false;
  for (const auto& [model, usage] : usageOf(call)) {
    const pricing::Price* price = prices.choose(model, call.started_at.value_or(Timestamp()));
    if (price == nullptr) continue;
    any = true;
    pricing::writeCost(usage, *price, project, out.key(model));
  }
  out.endObject();
  if (!any) return std::nullopt;
  return text;
}

}  // namespace spindle::tracing
