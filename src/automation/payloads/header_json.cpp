#include "automation/payloads/header_json.h"

#include <algorithm>
#include <optional>

#include "json/escape.h"
#include "json/writer.h"

namespace spindle::automation {

std::map<std::string, std::string> byName(const HeaderList& headers) {
  std::map<std::string, std::string> by_name;
  for (const auto& [name, value] : headers) {
    const auto [place, is_new] = by_name.emplace(name, value);
    if (!is_new) place->second += ", " + value;
  }
  return by_name;
}

std::string headersText(const HeaderList& headers) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  for (const auto& [name, value] : byName(headers)) {
    out.key(storableText(name)).string(storableText(value));
  }
  out.endObject();
  return text;
}

std::string storableText(std::string text) {
  if (std::optional<std::string> repaired = json::repairedText(text)) text = *std::move(repaired);
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

}  // namespace spindle::automation
