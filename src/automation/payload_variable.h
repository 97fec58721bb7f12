#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

namespace spindle::automation {

/// A number is inserted as it is, a text with quotes where it stands alone.
enum class VariableKind { kText, kNumber };

struct PayloadVariable {
  std::string_view name;
  VariableKind kind = VariableKind::kText;
};

/// Every variable that an event fills, apart from the metadata of an artifact.
std::span<const PayloadVariable> payloadVariables();
/// Null when there is no variable of that name.
const PayloadVariable* findPayloadVariable(std::string_view name);

/// What the access token of a webhook is called in templates.
inline constexpr std::string_view kAccessToken = "ACCESS_TOKEN";
inline constexpr std::string_view kMetadataVariable = "artifact_metadata";

/// The value of `event_time`: RFC 3339 in UTC, to the millisecond.
std::string eventTimeText(Timestamp time);

/// Names that a secret cannot have, because templates give them another meaning.
bool isReservedSecretName(std::string_view name);

}  // namespace spindle::automation
