#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "feedback/emoji.h"
#include "feedback/feedback_type.h"

namespace spindle::feedback {

inline constexpr std::size_t kMaxPayloadBytes = 1UL << 20;
inline constexpr std::size_t kMaxNoteCharacters = 1024;

/// The payload as it is stored: without spaces and needless escapes, checked by the rules of its
/// type, and with what the server adds (the names of a reaction). What an annotation's value must
/// be is not checked here. `payload` is a valid JSON object.
/// @return kInvalidArgument.
Result<std::string> storedPayload(const FeedbackType& type,
                                  std::string_view payload,
                                  const EmojiNames& emoji);

/// The JSON of a member; empty when there is none. `object` is a valid JSON object.
std::string memberOf(std::string_view object, std::string_view name);

}  // namespace spindle::feedback
