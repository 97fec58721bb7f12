#include "runs/flat_rows.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "json/document.h"
#include "json/escape.h"
#include "json/stored.h"
#include "json/writer.h"
#include "schema/compound.h"
#include "schema/scalar.h"

namespace spindle::runs {
namespace {

constexpr std::string_view kStep = "_step";
constexpr std::string_view kTime = "_timestamp";
constexpr std::string_view kRuntime = "_runtime";
constexpr std::string_view kLineStart = R"({"_step":)";

double secondsOf(std::chrono::microseconds time) { return static_cast<double>(time.count()) / 1e6; }

/// Returns the value as a number, if it is one. NaN and the infinities are strings, because JSON
/// has no numbers for them.
std::optional<double> numberOf(const json::Node& value) {
  if (value.isNumber()) return value.number();
  if (!value.isString()) return std::nullopt;
  if (value.textEquals("NaN")) return std::numeric_limits<double>::quiet_NaN();
  if (value.textEquals("Infinity")) return std::numeric_limits<double>::infinity();
  if (value.textEquals("-Infinity")) return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::string nameOf(const json::Node& key) {
  const std::optional<std::string_view> plain = key.plainText();
  return plain ? std::string(*plain) : key.text();
}

/// Calls `visit(name, value)` for every member of the object.
template <class Visit>
void eachMember(const json::Node& object, Visit visit) {
  for (auto at = object.begin(); at != object.end(); ++at) {
    const json::Node key = *at;
    visit(key, *++at);
  }
}

std::string valueText(const json::Node& value) {
  // Compact arrays: a pretty-printed array may contain line ends, a line must not.
  return value.isArray() ? json::compact(value.raw()) : std::string(value.raw());
}

}  // namespace

bool isReservedKey(std::string_view key) { return key == kStep || key == kTime || key == kRuntime; }

FlatRows::Column& FlatRows::columnOf(std::string_view key) {
  if (expected_ < columns_.size() && columns_[expected_].key == key) return columns_[expected_++];
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    expected_ = found->second + 1;
    return columns_[found->second];
  }
  Column& column = columns_.emplace_back();
  column.key = key;
  by_key_.emplace(column.key, columns_.size() - 1);
  expected_ = columns_.size();
  return column;
}

void FlatRows::record(std::string_view key, std::string_view text, std::optional<double> number) {
  Column& column = columnOf(key);
  column.last = text;
  const auto row = static_cast<std::uint32_t>(steps_.size() - 1);
  if (!column.rows.empty() && column.rows.back() == row) {
    column.rows.pop_back();
    column.values.pop_back();
  }
  if (!number) return;
  column.rows.push_back(row);
  column.values.push_back(*number);
}

void FlatRows::record(std::string_view key, const json::Node& value) {
  const std::string text = valueText(value);
  lines_ += ',';
  json::appendQuoted(lines_, key);
  lines_ += ':';
  lines_ += text;
  record(key, text, numberOf(value));
}

void FlatRows::walk(const json::Node& object, const std::string& path) {
  eachMember(object, [&](const json::Node& name, const json::Node& value) {
    const std::string key = path.empty() ? nameOf(name) : path + "." + nameOf(name);
    if (path.empty() && isReservedKey(key)) return;
    if (value.isObject() && value.size() > 0) {
      walk(value, key);
    } else if (prefix_.empty() || key.starts_with(prefix_)) {
      record(key, value);
    } else {
      record(prefix_ + key, value);
    }
  });
}

bool FlatRows::add(const NewRow& row, Timestamp now) {
  const json::Document document = json::parseStored(row.metrics);
  const json::Node metrics = document.root();
  std::optional<std::int64_t> step = row.step;
  std::optional<Timestamp> time = row.time;
  std::optional<json::Node> runtime = metrics.find(kRuntime);
  if (runtime && !runtime->isNumber()) runtime.reset();
  if (!step) {
    const std::optional<json::Node> own = metrics.find(kStep);
    if (own && own->kind() == json::Kind::kInteger) step = own->integer();
  }
  if (!time) {
    const std::optional<json::Node> own = metrics.find(kTime);
    if (own && own->isNumber()) time = timestampFromUnix(own->number());
  }
  if (!step) step = last_step_ ? *last_step_ + 1 : 0;
  if (!time) time = now;
  if (*step < last_step_.value_or(0) || *step > kLastStep) return false;

  last_step_ = step;
  steps_.push_back(*step);
  times_.push_back(*time);
  expected_ = 0;
  lines_.append(kLineStart).append(std::to_string(*step));
  const auto own = [this](std::string_view key, const std::string& text, double number) {
    lines_.append(",\"").append(key).append("\":").append(text);
    record(key, text, number);
  };
  const double unix_time = secondsOf(time->time_since_epoch());
  own(kTime, json::shortestNumber(unix_time), unix_time);
  const double ran = runtime ? runtime->number() : secondsOf(*time - started_);
  own(kRuntime, runtime ? std::string(runtime->raw()) : json::shortestNumber(ran), ran);
  walk(metrics, {});
  lines_ += "}\n";
  return true;
}

void FlatRows::addLines(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    const json::Document document = json::parseStored(std::string(line));
    steps_.push_back(stepOfLine(line));
    last_step_ = steps_.back();
    times_.emplace_back();
    expected_ = 0;
    eachMember(document.root(), [this](const json::Node& name, const json::Node& value) {
      const std::string key = nameOf(name);
      if (key == kStep) return;
      if (key == kTime) times_.back() = timestampFromUnix(value.number()).value_or(Timestamp());
      record(key, value.raw(), numberOf(value));
    });
    lines_.append(line).append("\n");
  }
}

std::int64_t stepOfLine(std::string_view line) {
  std::int64_t step = 0;
  if (line.starts_with(kLineStart)) line.remove_prefix(kLineStart.size());
  std::from_chars(line.data(), line.data() + line.size(), step);
  return step;
}

std::optional<std::string> mergedRow(const std::vector<std::string_view>& lines,
                                     const std::vector<std::string>& keys) {
  if (lines.size() == 1 && keys.empty()) return std::string(lines.front());
  static const schema::Codec<schema::MapOf<json::Text>> codec = schema::map(schema::anyJson());
  schema::MapOf<json::Text> members;
  bool wanted = keys.empty();
  for (const std::string_view line : lines) {
    const json::Document document = json::parseStored(std::string(line));
    eachMember(document.root(), [&](const json::Node& name, const json::Node& value) {
      std::string key = nameOf(name);
      if (!keys.empty()) {
        const bool asked = std::find(keys.begin(), keys.end(), key) != keys.end();
        wanted = wanted || asked;
        if (!asked && !isReservedKey(key)) return;
      }
      const auto known = std::find_if(members.begin(), members.end(),
                                      [&key](const auto& member) { return member.first == key; });
      if (known != members.end()) {
        known->second.json = value.raw();
      } else {
        members.emplace_back(std::move(key), json::Text{std::string(value.raw())});
      }
    });
  }
  if (!wanted) return std::nullopt;
  return codec.toJson(members);
}

}  // namespace spindle::runs
