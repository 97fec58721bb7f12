#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spindle::training {

/// One answer of a model and what it was asked, out of a traced call. All members are JSON.
struct ChatRow {
  std::string messages;               ///< a list: what it was asked
  std::optional<std::string> tools;   ///< a list
  std::string answer;                 ///< the message of the assistant
  std::optional<std::string> choice;  ///< the same with what is known of its tokens, if it is
};

/// Understands inputs with `messages` (or with one list of messages or one text alone) and the
/// output of a chat completion, a message, a list of messages, or a text; messages also in the
/// shapes that exporters of OpenTelemetry send. Empty for any other call.
std::optional<ChatRow> chatRowOf(const std::string& inputs, const std::string& output);

/// `{"messages":[…],"tools":[…]}`, a line of examples.
std::string exampleLine(const ChatRow& row);

/// `{"messages_and_choices":[…],…}`, one of a group. `notes` are the members of its metadata.
std::string trajectoryJson(const ChatRow& row,
                           double reward,
                           const std::vector<std::pair<std::string, std::string>>& notes);

/// The number at a path of members and positions (`output.scores.0`), where it is one; true and
/// false count as 1 and 0, and so does whether a list of texts holds the one that the path ends
/// with. An empty path is the whole.
std::optional<double> numberAt(std::string json, std::string_view path);

/// The number in the newest of a list of feedback that has this type: in its payload, or with a
/// path that begins with `scorer_ratings` or `scorer_tags` in what its scorer said. Empty when
/// there is none.
std::optional<double> feedbackNumber(std::string list,
                                     std::string_view type,
                                     std::string_view path);

/// The file `metadata.json` of an export.
struct ExportNotes {
  std::string format;
  std::int64_t trajectories = 0;
  std::int64_t groups = 0;
  std::string project;
};
std::string exportMetadata(const ExportNotes& notes);

}  // namespace spindle::training
