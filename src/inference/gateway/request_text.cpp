#include "inference/gateway/request_text.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::inference {

Result<RequestText> RequestText::of(std::string body) {
  std::variant<json::Document, json::SyntaxError> parsed =
      json::Document::parse(std::move(body), json::kStoredDepth);
  if (const auto* broken = std::get_if<json::SyntaxError>(&parsed)) {
    return Error::invalidArgument("The body is not JSON: " + broken->message);
  }
  const json::Node root = std::get<json::Document>(parsed).root();
  if (!root.isObject()) return Error::invalidArgument("The body is not a JSON object.");
  const std::string_view whole = root.raw();
  const auto range_of = [&whole](const json::Node& node) {
    const std::string_view raw = node.raw();
    const auto begin = static_cast<std::size_t>(raw.data() - whole.data());
    return Range{begin, begin + raw.size()};
  };
  RequestText request;
  request.text_ = std::string(whole);
  request.is_empty_ = root.size() == 0;
  for (auto member = root.begin(); member != root.end(); ++member) {
    const json::Node name = *member;
    const json::Node value = *++member;
    if (name.textEquals("model")) request.models_.push_back(range_of(value));
    for (Switch& one : request.switches_) {
      if (!name.textEquals(one.name)) continue;
      one.range = range_of(value);
      one.is_null = value.isNull();
    }
    if (!name.textEquals("stream_options")) continue;
    request.stream_options_ = range_of(value);
    request.options_are_object_ = value.isObject();
    request.options_are_empty_ = !value.isObject() || value.size() == 0;
    request.include_usage_.reset();
    const std::optional<json::Node> asked =
        value.isObject() ? value.find("include_usage") : std::nullopt;
    if (asked) request.include_usage_ = range_of(*asked);
  }
  return request;
}

RequestText::Edit RequestText::usageEdit() const {
  constexpr std::string_view kWanted = R"("include_usage":true)";
  if (include_usage_) return {*include_usage_, "true"};
  if (stream_options_ && options_are_object_) {
    const std::size_t inside = stream_options_->begin + 1;
    return {{inside, inside}, std::string(kWanted) + (options_are_empty_ ? "" : ",")};
  }
  const std::string options = "{" + std::string(kWanted) + "}";
  if (stream_options_) return {*stream_options_, options};
  return {{1, 1}, "\"stream_options\":" + options + (is_empty_ ? "" : ",")};
}

void RequestText::addSwitches(std::vector<Edit>& changes) const {
  for (const Switch& one : switches_) {
    if (one.range && one.is_null) changes.push_back({*one.range, "true"});
    if (one.range) continue;
    changes.push_back({{1, 1}, "\"" + std::string(one.name) + "\":true" + (is_empty_ ? "" : ",")});
  }
}

std::string RequestText::with(const RequestEdits& edits) const {
  std::vector<Edit> changes;
  for (const Range& range : models_) {
    std::string name;
    json::Writer(name).string(edits.model);
    changes.push_back({range, std::move(name)});
  }
  if (edits.include_usage) changes.push_back(usageEdit());
  if (edits.tokens) addSwitches(changes);
  if (edits.limit) {
    std::string member;
    json::Writer(member).string(edits.limit_name);
    member += ":" + std::to_string(*edits.limit) + (is_empty_ ? "" : ",");
    changes.push_back({{1, 1}, std::move(member)});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Edit& a, const Edit& b) { return a.range.begin < b.range.begin; });
  std::string edited;
  edited.reserve(text_.size() + 128);
  std::size_t at = 0;
  for (const Edit& change : changes) {
    edited.append(text_, at, change.range.begin - at).append(change.text);
    at = change.range.end;
  }
  return edited.append(text_, at);
}

}  // namespace spindle::inference
