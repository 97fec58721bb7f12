#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/core/time.h"

namespace spindle::automation {

/// A number is inserted verbatim; text outside a string literal gets quotes.
enum class VariableKind { kText, kNumber };

struct PayloadVariable {
  std::string_view name;
  VariableKind kind = VariableKind::kText;
};

/// Returns all variables of events, except the metadata of an artifact.
std::span<const PayloadVariable> payloadVariables();
/// Returns the variable of that name, or null.
const PayloadVariable* findPayloadVariable(std::string_view name);

/// The name of a webhook's access token in templates.
inline constexpr std::string_view kAccessToken = "ACCESS_TOKEN";
inline constexpr std::string_view kMetadataVariable = "artifact_metadata";

/// Formats the value of `event_time`: RFC 3339 in UTC, to the millisecond.
std::string eventTimeText(Timestamp time);

/// Returns true if a secret cannot have this name, because templates use it for something else.
bool isReservedSecretName(std::string_view name);

}  // namespace spindle::automation
