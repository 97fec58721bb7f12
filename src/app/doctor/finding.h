#pragma once

#include <string>
#include <vector>

namespace spindle::app {

enum class Verdict { kOk, kWarning, kFailure };

/// The result of one check of the doctor.
struct Finding {
  std::string check;  ///< name of the check, such as `data folder`
  Verdict verdict = Verdict::kOk;
  std::string message;  ///< the result in one line
  std::string advice;   ///< how to fix it; empty for kOk

  static Finding ok(std::string check, std::string message);
  static Finding warning(std::string check, std::string message, std::string advice);
  static Finding failure(std::string check, std::string message, std::string advice);
};

using Findings = std::vector<Finding>;

bool anyFailure(const Findings& findings);

/// Returns aligned lines, each advice below its finding, and a summary line.
std::string renderText(const Findings& findings);
/// Returns {"ok": …, "checks": [{"check", "verdict": "ok" | "warning" | "failure", "message",
/// "advice"}]}
std::string renderJson(const Findings& findings);

}  // namespace spindle::app
