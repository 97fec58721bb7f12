#include "app/doctor/finding.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::app {
namespace {

using VerdictName = std::pair<std::string_view, Verdict>;

constexpr std::array<VerdictName, 3> kVerdictNames = {
    {{"ok", Verdict::kOk}, {"warning", Verdict::kWarning}, {"failure", Verdict::kFailure}}};

std::string_view nameOf(Verdict verdict) {
  return std::find_if(kVerdictNames.begin(), kVerdictNames.end(),
                      [verdict](const VerdictName& name) { return name.second == verdict; })
      ->first;
}

/// The JSON of all findings.
struct FindingsView {
  bool ok = true;
  Findings checks;
};

schema::Codec<FindingsView> findingsCodec() {
  const auto text = schema::string();
  const auto finding =
      schema::Record<Finding>("Finding")
          .required("check", &Finding::check, text)
          .required("verdict", &Finding::verdict,
                    schema::enumeration<Verdict>({kVerdictNames.begin(), kVerdictNames.end()}))
          .required("message", &Finding::message, text)
          .required("advice", &Finding::advice, text)
          .codec();
  return schema::Record<FindingsView>("Findings")
      .required("ok", &FindingsView::ok, schema::boolean())
      .required("checks", &FindingsView::checks, schema::list(finding))
      .codec();
}

std::size_t count(const Findings& findings, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [verdict](const Finding& finding) { return finding.verdict == verdict; }));
}

/// Joins the lines of a message: libraries may return several, a finding has one.
std::string inOneLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

Finding Finding::ok(std::string check, std::string message) {
  return {std::move(check), Verdict::kOk, inOneLine(std::move(message)), ""};
}

Finding Finding::warning(std::string check, std::string message, std::string advice) {
  return {std::move(check), Verdict::kWarning, inOneLine(std::move(message)), std::move(advice)};
}

Finding Finding::failure(std::string check, std::string message, std::string advice) {
  return {std::move(check), Verdict::kFailure, inOneLine(std::move(message)), std::move(advice)};
}

bool anyFailure(const Findings& findings) { return count(findings, Verdict::kFailure) > 0; }

std::string renderText(const Findings& findings) {
  std::size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.check.size());
  std::string out;
  for (const Finding& finding : findings) {
    out += fmt::format("{:<4}  {:<{}}  {}\n", nameOf(finding.verdict).substr(0, 4), finding.check,
                       width, finding.message);
    if (!finding.advice.empty()) out += fmt::format("{:>{}}-> {}\n", "", width + 8, finding.advice);
  }
  const std::size_t failures = count(findings, Verdict::kFailure);
  const std::size_t warnings = count(findings, Verdict::kWarning);
  return out + fmt::format("\nok: {}, warnings: {}, failures: {}\n",
                           findings.size() - failures - warnings, warnings, failures);
}

std::string renderJson(const Findings& findings) {
  return findingsCodec().toJson({!anyFailure(findings), findings}) + "\n";
}

}  // namespace spindle::app
