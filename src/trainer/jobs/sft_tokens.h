#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "trainer/jobs/chat_codec.h"
#include "trainer/jobs/job_options.h"

namespace spindle::trainer {

/// The messages of a row that are trained on, if the row says so itself.
struct LossMask {
  enum class Kind { kAll, kNone, kLastAssistant, kMessages, kRoles };
  Kind kind = Kind::kAll;
  std::vector<bool> messages = {};  ///< kMessages: one per message
  std::map<std::string, bool> roles =
      {};  ///< kRoles: roles that are not named are not trained on, except assistant
};

/// A training example: a conversation.
struct SftRow {
  std::vector<std::string> messages;  ///< JSON objects
  std::vector<std::string> roles;     ///< role of each message
  std::string tools = {};             ///< a JSON array; empty: none
  std::optional<LossMask> loss_mask = {};
};

/// Parses a line of a job's data. @return kInvalidArgument that says what is wrong
Result<SftRow> sftRowOf(const std::string& json);

/// The tokens of a row with a flag for those to predict. The first token is never labelled.
struct LabelledTokens {
  std::vector<std::int64_t> ids;
  std::vector<bool> labelled;
};

/// The texts with which a chat template starts turns: instructions (user, tool, system) and
/// responses (assistant).
struct TurnMarkers {
  std::vector<std::string> instructions;
  std::vector<std::string> responses;  ///< alternatives; the first one that occurs is used
};
/// Returns the markers of a chat template; empty for an unknown kind.
std::optional<TurnMarkers> turnMarkersOf(const std::string& chat_template);

/// Tokenizes and labels a row. @return kInvalidArgument that says why the row cannot be used
Result<LabelledTokens> labelled(const SftRow& row, const ChatCodec& codec, AssistantTurns turns);

}  // namespace spindle::trainer
