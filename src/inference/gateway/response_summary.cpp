#include "inference/gateway/response_summary.h"

#include <optional>

#include "inference/catalogue/json_object.h"
#include "json/escape.h"

namespace spindle::inference {
namespace {

constexpr std::size_t kLongestMessage = 500;

std::int64_t countIn(const json::Node& object, std::string_view name) {
  const std::optional<json::Node> member = object.find(name);
  if (!member || member->kind() != json::Kind::kInteger) return 0;
  const std::int64_t count = member->integer().value_or(0);
  return count > 0 ? count : 0;
}

std::int64_t detailIn(const json::Node& usage, std::string_view group, std::string_view name) {
  const std::optional<json::Node> details = usage.find(group);
  return details && details->isObject() ? countIn(*details, name) : 0;
}

std::optional<TokenUsage> usageIn(const json::Node& answer) {
  const std::optional<json::Node> usage = answer.find("usage");
  if (!usage || !usage->isObject()) return std::nullopt;
  TokenUsage tokens;
  tokens.prompt = countIn(*usage, "prompt_tokens");
  tokens.completion = countIn(*usage, "completion_tokens");
  tokens.cached = detailIn(*usage, "prompt_tokens_details", "cached_tokens");
  tokens.reasoning = detailIn(*usage, "completion_tokens_details", "reasoning_tokens");
  return tokens;
}

/// `{"error": {"message": …}}`, `{"error": "…"}`, `{"message": …}`, `{"detail": …}`.
std::string messageIn(const json::Node& answer) {
  std::optional<json::Node> told = answer.find("error");
  if (told && told->isObject()) told = told->find("message");
  if (!told || !told->isString()) told = answer.find("message");
  if (!told || !told->isString()) told = answer.find("detail");
  if (!told || !told->isString()) return {};
  return told->text().substr(0, kLongestMessage);
}

}  // namespace

ResponseSummary summarizeResponse(std::string_view answer) {
  ResponseSummary facts;
  const std::optional<json::Document> document = parseObject(std::string(answer));
  if (!document) return facts;
  const json::Node root = document->root();
  facts.is_object = true;
  const std::optional<json::Node> error = root.find("error");
  facts.is_error = error && !error->isNull() && !root.find("choices") && !root.find("data");
  facts.usage = usageIn(root);
  facts.message = messageIn(root);
  return facts;
}

std::optional<TokenUsage> usageInEvents(std::string_view events) {
  constexpr std::string_view kField = "data:";
  std::size_t end = events.size();
  while (end != std::string_view::npos) {
    const std::size_t named = events.substr(0, end).rfind("\"usage\"");
    if (named == std::string_view::npos) return std::nullopt;
    const std::size_t before = events.rfind('\n', named);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::string_view line = events.substr(begin, events.find_first_of("\r\n", named) - begin);
    if (line.starts_with(kField)) {
      const ResponseSummary facts = summarizeResponse(line.substr(kField.size()));
      if (facts.usage) return facts.usage;
    }
    end = begin == 0 ? std::string_view::npos : begin;
  }
  return std::nullopt;
}

std::string errorEvent(std::string_view message, std::string_view type) {
  return R"(data: {"error":{"message":)" + json::quoted(message) + R"(,"type":)" +
         json::quoted(type) + R"(,"param":null,"code":null}})" + "\n\n";
}

}  // namespace spindle::inference
