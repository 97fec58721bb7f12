#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "automation/credentials.h"
#include "base/result.h"

namespace spindle::automation {

inline constexpr std::size_t kMaxTemplateBytes = 64UL * 1024;
inline constexpr std::size_t kMaxPayloadBytes = 256UL * 1024;

/// What an event tells a template.
struct PayloadFacts {
  /// By the names of payloadVariables(); what is missing is blank. Numbers are JSON numbers.
  std::map<std::string, std::string, std::less<>> variables = {};
  std::string metadata = {};  ///< of the artifact, a JSON object; empty: there is none
};

/// Something that is allowed but may not be meant.
struct TemplateWarning {
  std::string code;  ///< `unknown_variable`, `secret_in_body`
  std::string name;
  std::string message;
};

/// Checks a template before it is kept.
/// @return what to warn of; kInvalidSchema at `where`: `json_invalid` when it cannot become JSON
/// with an object or array at its root, `unknown_variable` for an unknown name outside a string,
/// `string_too_long`.
Result<std::vector<TemplateWarning>> checkTemplate(std::string_view text,
                                                   const AttachedNames& attached,
                                                   const std::vector<LocStep>& where);

/// Fills a template in. What is inserted is never looked at again, so that no value can bring a
/// token along. @return the body to send; kUnprocessable (`render_error`) when it is not JSON,
/// kTooLarge (`body_too_large`).
Result<std::string> renderPayload(std::string_view text,
                                  const PayloadFacts& facts,
                                  const Credentials& credentials);

}  // namespace spindle::automation
