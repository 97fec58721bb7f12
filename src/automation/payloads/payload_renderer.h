#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "automation/payloads/credentials.h"
#include "base/core/result.h"

namespace spindle::automation {

inline constexpr std::size_t kMaxTemplateBytes = 64UL * 1024;
inline constexpr std::size_t kMaxPayloadBytes = 256UL * 1024;

/// The data of an event for a template.
struct PayloadFacts {
  /// Values by the names of payloadVariables(); missing ones are blank. Numbers are JSON numbers.
  std::map<std::string, std::string, std::less<>> variables = {};
  std::string metadata = {};  ///< metadata of the artifact, a JSON object; empty: none
};

/// A warning about a template that is valid but possibly wrong.
struct TemplateWarning {
  std::string code;  ///< `unknown_variable`, `secret_in_body`
  std::string name;
  std::string message;
};

/// Validates a template before it is stored.
/// @return warnings; kInvalidSchema at `where`: `json_invalid` if it cannot become JSON with an
/// object or array at its root, `unknown_variable` for an unknown name outside a string,
/// `string_too_long`.
Result<std::vector<TemplateWarning>> checkTemplate(std::string_view text,
                                                   const CredentialNames& attached,
                                                   const std::vector<LocStep>& where);

/// Renders a template. Inserted values are never scanned again, so that no value can introduce a
/// variable.
/// @return the body to send; kUnprocessable (`render_error`) if it is not JSON, kTooLarge
/// (`body_too_large`).
Result<std::string> renderPayload(std::string_view text,
                                  const PayloadFacts& facts,
                                  const Credentials& credentials);

}  // namespace spindle::automation
