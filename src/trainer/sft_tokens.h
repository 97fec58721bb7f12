#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "trainer/chat_codec.h"
#include "trainer/job_options.h"

namespace spindle::trainer {

/// Which messages of a row are to be learned, where it says so itself.
struct LossMask {
  enum class Kind { kAll, kNone, kLastAssistant, kMessages, kRoles };
  Kind kind = Kind::kAll;
  std::vector<bool> messages = {};         ///< kMessages: each
  std::map<std::string, bool> roles = {};  ///< kRoles: those not named are not learned
};

/// An example: a conversation.
struct SftRow {
  std::vector<std::string> messages;  ///< JSON each
  std::vector<std::string> roles;     ///< of each
  std::string tools = {};             ///< a JSON array; empty: none
  std::optional<LossMask> loss_mask = {};
};

/// Reads a line of a job's data. @return kInvalidArgument that says what is wrong with it
Result<SftRow> sftRowOf(const std::string& json);

/// The tokens of a row, and which of them are to be foretold. The first never is.
struct LabelledTokens {
  std::vector<std::int64_t> ids;
  std::vector<bool> labelled;
};

/// By where turns begin: what a chat template writes before what users (tools, systems) and
/// assistants say.
struct TurnMarkers {
  std::vector<std::string> instructions;
  std::vector<std::string> responses;  ///< the first that is found in a text
};
/// Empty for a template of an unknown kind.
std::optional<TurnMarkers> turnMarkersOf(const std::string& chat_template);

/// @return kInvalidArgument that says why the row cannot be used
Result<LabelledTokens> labelled(const SftRow& row, const ChatCodec& codec, AssistantTurns turns);

}  // namespace spindle::trainer
