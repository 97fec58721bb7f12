#pragma once

#include <string>
#include <vector>

namespace spindle::app {

enum class Verdict { kOk, kWarning, kFailure };

/// What one check of the doctor found out.
struct Finding {
  std::string check;  ///< `data folder`
  Verdict verdict = Verdict::kOk;
  std::string message;  ///< what is so, in one line
  std::string advice;   ///< what to do about it; empty when all is well

  static Finding ok(std::string check, std::string message);
  static Finding warning(std::string check, std::string message, std::string advice);
  static Finding failure(std::string check, std::string message, std::string advice);
};

using Findings = std::vector<Finding>;

bool anyFailure(const Findings& findings);

/// Aligned lines, advice below what it is about, and a closing line.
std::string renderText(const Findings& findings);
/// {"ok": …, "checks": [{"check", "verdict": "ok" | "warning" | "failure", "message", "advice"}]}
std::string renderJson(const Findings& findings);

}  // namespace spindle::app
