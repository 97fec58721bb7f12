#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "feedback/emoji.h"
#include "feedback/feedback_type.h"

namespace spindle::feedback {

inline constexpr std::size_t kMaxPayloadBytes = 1UL << 20;
inline constexpr std::size_t kMaxNoteCharacters = 1024;

/// Returns the payload in its stored form: compact JSON, validated by the rules of its type, with
/// the members that the server adds (the names of a reaction). Does not validate the value of an
/// annotation. `payload` must be a valid JSON object.
/// @return kInvalidArgument.
Result<std::string> storedPayload(const FeedbackType& type,
                                  std::string_view payload,
                                  const EmojiNames& emoji);

/// Returns the JSON of a member, or an empty string if it is missing. `object` must be a valid JSON
/// object.
std::string memberOf(std::string_view object, std::string_view name);

}  // namespace spindle::feedback
