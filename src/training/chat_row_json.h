#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spindle::training {

/// What a model said, as JSON.
struct ChatAnswer {
  std::string message;                     ///< of the assistant
  std::optional<std::string> choice = {};  ///< the same with what is known of its tokens, if it is
};

/// What a model was asked and what it answered, out of a traced call. All texts are JSON.
struct ChatRow {
  std::string messages;                   ///< a list: what it was asked
  std::optional<std::string> tools = {};  ///< a list
  std::vector<ChatAnswer> answers = {};   ///< at least one; more where more were sampled at once
  /// A list: what the conversation began with, where more is known of it than this one call.
  std::optional<std::string> began = {};
};

/// Understands inputs with `messages`, also inside the only argument or inside `arg0` (or with one
/// list of messages or one text alone), and the output of a chat completion, a message, a list of
/// messages, or a text; messages also in the shapes that exporters of OpenTelemetry send. Empty for
/// any other call.
std::optional<ChatRow> chatRowOf(const std::string& inputs, const std::string& output);

/// What was asked before the model began to answer, as a list: all up to the last message that is
/// neither the model's nor a tool's. So attempts at the same thing are known by it, whatever tools
/// they went on to use.
std::string questionOf(const ChatRow& row);

/// Whether a list of messages begins with all of another one.
bool continues(const std::string& messages, const std::string& beginning);

/// `{"messages":[…],"tools":[…]}`, a line of examples.
std::string exampleLine(const ChatRow& row, const ChatAnswer& answer);

/// `{"messages_and_choices":[…],…}`, one of a group. `notes` are the members of its metadata.
std::string trajectoryJson(const ChatRow& row,
                           const ChatAnswer& answer,
                           double reward,
                           const std::vector<std::pair<std::string, std::string>>& notes);

/// The file `metadata.json` of an export.
struct ExportNotes {
  std::string format;
  std::int64_t trajectories = 0;
  std::int64_t groups = 0;
  std::string project;
};
std::string exportMetadata(const ExportNotes& notes);

}  // namespace spindle::training
