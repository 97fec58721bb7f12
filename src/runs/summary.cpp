#include "runs/summary.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "json/document.h"
#include "json/stored.h"
#include "registry/artifacts/json_members.h"
#include "runs/flat_rows.h"

namespace spindle::runs {
namespace {

using registry::JsonMembers;

enum class Mode { kLast, kNone, kLeast, kGreatest, kMean };

json::Document parsed(std::string_view json) { return json::parseStored(std::string(json)); }

std::optional<double> numberIn(const std::string* text) {
  if (text == nullptr) return std::nullopt;
  const json::Document document = parsed(*text);
  if (!document.root().isNumber()) return std::nullopt;
  return document.root().number();
}

Mode modeOf(const std::string* rule) {
  if (rule == nullptr) return Mode::kLast;
  const json::Document document = parsed(*rule);
  const std::optional<json::Node> word = document.root().find("summary");
  if (!word || !word->isString()) return Mode::kLast;
  if (word->textEquals("none")) return Mode::kNone;
  if (word->textEquals("min")) return Mode::kLeast;
  if (word->textEquals("max")) return Mode::kGreatest;
  if (word->textEquals("mean")) return Mode::kMean;
  if (!word->textEquals("best")) return Mode::kLast;
  const std::optional<json::Node> objective = document.root().find("objective");
  const bool upwards = objective && objective->isString() && objective->textEquals("maximize");
  return upwards ? Mode::kGreatest : Mode::kLeast;
}

std::string numberText(double number) {
  // Write integers without a fraction: 3, not 3.0.
  constexpr double kExact = 9007199254740992.0;
  if (number == std::floor(number) && std::abs(number) < kExact) {
    return std::to_string(static_cast<std::int64_t>(number));
  }
  return json::shortestNumber(number);
}

std::vector<double> finiteOf(const std::vector<double>& values) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](double value) { return std::isfinite(value); });
  return finite;
}

struct Sum {
  double sum = 0;
  double count = 0;
};

Sum sumIn(const std::string* text) {
  if (text == nullptr) return {};
  const json::Document document = parsed(*text);
  auto at = document.root().begin();
  Sum sum;
  sum.sum = (*at).number();
  sum.count = (*++at).number();
  return sum;
}

}  // namespace

void addToSummary(Summary& summary, std::string_view rules, const FlatRows& rows) {
  JsonMembers values(summary.values);
  JsonMembers sums(summary.sums);
  const JsonMembers wanted(rules);
  for (const FlatRows::Column& column : rows.columns()) {
    if (isReservedKey(column.key)) continue;
    const Mode mode = modeOf(wanted.find(column.key));
    if (mode == Mode::kNone) continue;
    if (mode == Mode::kLast) {
      values.set(column.key, column.last);
      continue;
    }
    const std::vector<double> finite = finiteOf(column.values);
    if (finite.empty()) continue;
    if (mode == Mode::kMean) {
      Sum sum = sumIn(sums.find(column.key));
      for (const double value : finite) sum.sum += value;
      sum.count += static_cast<double>(finite.size());
      sums.set(column.key, "[" + json::shortestNumber(sum.sum) + "," + numberText(sum.count) + "]");
      values.set(column.key, numberText(sum.sum / sum.count));
      continue;
    }
    const auto [least, greatest] = std::minmax_element(finite.begin(), finite.end());
    double extreme = mode == Mode::kLeast ? *least : *greatest;
    if (const std::optional<double> known = numberIn(values.find(column.key))) {
      extreme = mode == Mode::kLeast ? std::min(extreme, *known) : std::max(extreme, *known);
    }
    values.set(column.key, numberText(extreme));
  }
  summary.values = values.text();
  summary.sums = sums.text();
}

}  // namespace spindle::runs
