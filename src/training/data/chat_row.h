#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spindle::training {

/// An answer of a model, as JSON.
struct ChatAnswer {
  std::string message;                     ///< the assistant message
  std::optional<std::string> choice = {};  ///< the choice object with token data, if known
};

/// The prompt and the answers of a traced model call. All texts are JSON.
struct ChatRow {
  std::string messages;                   ///< array: the prompt
  std::optional<std::string> tools = {};  ///< array
  std::vector<ChatAnswer> answers = {};   ///< at least one; several if several choices were sampled
  /// Array: the first prompt of the conversation, if it is known from earlier calls.
  std::optional<std::string> first_prompt = {};
};

/// Returns the prompt and answers of a traced call; empty if it is not a model call. Accepts inputs
/// with `messages`, also inside the only argument or inside `arg0`, and inputs with only a list of
/// messages or one text. Accepts as output a chat completion, a message, a list of messages or a
/// text. Messages may also have the formats of OpenTelemetry exporters.
std::optional<ChatRow> chatRowOf(const std::string& inputs, const std::string& output);

/// Returns the prompt before the model started to work, as an array: all messages up to the last
/// one that is neither from the model nor from a tool. Attempts at the same task have the same
/// value, whatever tools they used.
std::string promptOf(const ChatRow& row);

/// Returns true if a list of messages starts with all messages of another list.
bool continues(const std::string& messages, const std::string& beginning);

/// Returns true if the answer has log probabilities of its tokens.
bool hasLogprobs(const ChatAnswer& answer);

/// Returns an SFT example as one line: `{"messages":[…],"tools":[…]}`.
std::string exampleLine(const ChatRow& row, const ChatAnswer& answer);

/// Returns a trajectory: `{"messages_and_choices":[…],…}`. `notes`: the members of its metadata.
std::string trajectoryJson(const ChatRow& row,
                           const ChatAnswer& answer,
                           double reward,
                           const std::vector<std::pair<std::string, std::string>>& notes);

/// The values in the file `metadata.json` of an export.
struct ExportMetadata {
  std::string format;
  std::int64_t trajectories = 0;
  std::int64_t groups = 0;
  std::string project;
};
std::string exportMetadata(const ExportMetadata& notes);

}  // namespace spindle::training
