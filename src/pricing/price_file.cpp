#include "pricing/price_file.h"

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "json/document.h"

namespace spindle::pricing {
namespace {

using json::Document;
using json::Node;

constexpr std::string_view kSampleEntry = "sample_spec";  // documents the format; not a model

Error invalidPriceFile(const std::string& what) {
  return Error::invalidArgument("Not a valid price file: " + what);
}

std::optional<double> tokenPriceAt(const Node& entry, std::string_view name) {
  const std::optional<Node> value = entry.find(name);
  if (!value || !value->isNumber()) return std::nullopt;
  const double price = value->number();
  return std::isfinite(price) && price >= 0 ? std::optional(price) : std::nullopt;
}

std::optional<std::string> textAt(const Node& entry, std::string_view name) {
  const std::optional<Node> value = entry.find(name);
  if (!value || !value->isString()) return std::nullopt;
  return value->text();
}

std::optional<Timestamp> dateAt(const Node& entry, std::string_view name) {
  const std::optional<std::string> text = textAt(entry, name);
  return text ? parseTimestamp(*text).value : std::nullopt;
}

Price defaultPrice(std::string llm_id, Timestamp date) {
  Price price;
  price.llm_id = std::move(llm_id);
  price.level = PriceLevel::kDefault;
  price.effective_date = price.created_at = date;
  price.created_by = kSystemUser;
  return price;
}

Result<void> readModel(const std::string& llm_id, const Node& list, std::vector<Price>& prices) {
  if (!list.isArray()) return invalidPriceFile(llm_id + " has no list of prices");
  for (const Node entry : list) {
    const std::optional<Timestamp> date =
        entry.isObject() ? dateAt(entry, "date") : std::optional<Timestamp>();
    if (!date) return invalidPriceFile("a price of " + llm_id + " has no date");
    const std::optional<double> input = tokenPriceAt(entry, "input");
    const std::optional<double> output = tokenPriceAt(entry, "output");
    if (!input || !output)
      return invalidPriceFile("a price of " + llm_id + " lacks input or output");
    Price& price = prices.emplace_back(defaultPrice(llm_id, *date));
    price.tokens.prompt = *input;
    price.tokens.completion = *output;
    price.tokens.cache_read = tokenPriceAt(entry, "cache_read_input").value_or(0);
    price.tokens.cache_creation = tokenPriceAt(entry, "cache_creation_input").value_or(0);
    price.provider_id = textAt(entry, "provider").value_or(std::string(kDefaultProvider));
  }
  return {};
}

}  // namespace

Result<PriceFile> readBuiltInPriceFile(std::string text) {
  const auto parsed = Document::parse(std::move(text));
  if (const auto* broken = std::get_if<json::SyntaxError>(&parsed))
    return invalidPriceFile(broken->message);
  const Node root = std::get<Document>(parsed).root();
  const std::optional<Timestamp> date = root.isObject() ? dateAt(root, "date") : std::nullopt;
  const std::optional<Node> models = root.isObject() ? root.find("models") : std::nullopt;
  if (!date || !models || !models->isObject())
    return invalidPriceFile("date and models are expected");
  PriceFile file;
  file.date = *date;
  for (auto at = models->begin(); at != models->end(); ++at) {
    const std::string llm_id = (*at).text();
    ++at;
    TRY(readModel(llm_id, *at, file.prices));
  }
  return file;
}

Result<CommunityPriceFile> readCommunityPriceFile(std::string text, Timestamp date) {
  const auto parsed = Document::parse(std::move(text));
  if (const auto* broken = std::get_if<json::SyntaxError>(&parsed))
    return invalidPriceFile(broken->message);
  const Node root = std::get<Document>(parsed).root();
  if (!root.isObject()) return invalidPriceFile("a map from model to prices is expected");
  CommunityPriceFile file;
  for (auto at = root.begin(); at != root.end(); ++at) {
    std::string llm_id = (*at).text();
    ++at;
    if (llm_id == kSampleEntry) continue;
    const Node entry = *at;
    const bool object = entry.isObject();
    const auto input = object ? tokenPriceAt(entry, "input_cost_per_token") : std::nullopt;
    const auto output = object ? tokenPriceAt(entry, "output_cost_per_token") : std::nullopt;
    if (llm_id.empty() || (!input && !output)) {
      ++file.skipped;
      continue;
    }
    Price& price = file.prices.emplace_back(defaultPrice(std::move(llm_id), date));
    price.tokens.prompt = input.value_or(0);
    price.tokens.completion = output.value_or(0);
    price.tokens.cache_read = tokenPriceAt(entry, "cache_read_input_token_cost").value_or(0);
    price.tokens.cache_creation =
        tokenPriceAt(entry, "cache_creation_input_token_cost").value_or(0);
    price.provider_id = textAt(entry, "litellm_provider").value_or(std::string(kDefaultProvider));
  }
  return file;
}

}  // namespace spindle::pricing
