#include "schema/report.h"

#include <algorithm>

#include "json/escape.h"
#include "json/writer.h"

namespace spindle::schema {

std::vector<LocStep> Path::steps() const {
  std::vector<LocStep> steps;
  for (const Path* at = this; at != nullptr; at = at->parent) {
    if (at->index >= 0) {
      steps.emplace_back(at->index);
    } else {
      steps.emplace_back(std::string(at->name));
    }
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

RuleError valueError(std::string_view text) {
  return {"value_error", "Value error, " + std::string(text), R"({"error":{}})"};
}

void Report::add(const Path& path, RuleError error, std::string_view raw_input) {
  if (full()) return;
  Violation violation;
  violation.type = std::move(error.type);
  violation.loc = path.steps();
  violation.msg = std::move(error.msg);
  violation.ctx = std::move(error.ctx);
  if (raw_input.size() > kMaxInputBytes || input_bytes_ > kMaxTotalInputBytes) {
    violation.input = json::quoted(std::string(raw_input.substr(0, 256)) + "…");
  } else {
    violation.input = json::compact(raw_input);
  }
  input_bytes_ += violation.input.size();
  violations_.push_back(std::move(violation));
}

void Report::append(Report&& other) {
  for (Violation& violation : other.violations_) {
    if (full()) return;
    input_bytes_ += violation.input.size();
    violations_.push_back(std::move(violation));
  }
}

}  // namespace spindle::schema
