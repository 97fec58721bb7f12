#include "tracing/calls/reported_usage.h"

#include <charconv>
#include <cmath>
#include <optional>

namespace spindle::tracing {
namespace {

double numberIn(std::string_view text) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = failed == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(number) ? number : 0;
}

double countIn(const json::Node& entry, std::string_view name) {
  const std::optional<json::Node> value = entry.find(name);
  if (!value) return 0;
  if (value->isNumber()) return std::isfinite(value->number()) ? value->number() : 0;
  if (value->isString()) return numberIn(value->text());
  return value->boolean() ? 1 : 0;
}

}  // namespace

ReportedUsage reportedUsage(const json::Node& summary) {
  ReportedUsage usage;
  if (!summary.isObject()) return usage;
  const std::optional<json::Node> models = summary.find("usage");
  if (!models || !models->isObject()) return usage;
  usage.models = static_cast<std::int64_t>(models->size());
  if (usage.models != 1) return usage;
  auto at = models->begin();
  usage.model = (*at).text();
  const json::Node entry = *++at;
  if (!entry.isObject()) return usage;
  usage.input = countIn(entry, "prompt_tokens") + countIn(entry, "input_tokens");
  usage.output = countIn(entry, "completion_tokens") + countIn(entry, "output_tokens");
  usage.total = countIn(entry, "total_tokens");
  usage.cache_read = countIn(entry, "cache_read_input_tokens");
  usage.cache_creation = countIn(entry, "cache_creation_input_tokens");
  return usage;
}

}  // namespace spindle::tracing
