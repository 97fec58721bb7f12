#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/grammar.h"
#include "engine/model.h"

namespace spindle::engine {

/// Whether the model may, must or must not call a tool.
enum class ToolChoice { kAuto, kRequired, kNone };

/// A conversation that is to go on, in the terms of the OpenAI API.
struct ChatQuestion {
  std::string messages;    ///< a JSON array
  std::string tools = {};  ///< a JSON array; empty: none
  ToolChoice tool_choice = ToolChoice::kAuto;
  bool parallel_tool_calls = true;
  /// What the answer must look like, as a JSON schema; empty: anything.
  std::string json_schema = {};
  bool add_generation_prompt = true;
  bool continue_final_message = false;
  bool enable_thinking = true;
  /// Further variables of the template, their values as JSON.
  std::map<std::string, std::string> variables = {};
};

struct ChatToolCall {
  std::string name;
  std::string arguments;  ///< JSON, or its beginning
};

struct ChatReply {
  std::string content;
  std::string reasoning;
  std::vector<ChatToolCall> tool_calls;
};

/// Reads what a model says in the way that one prompt asked it to say things. Immutable.
class ChatParser {
 public:
  virtual ~ChatParser() = default;
  /// `partial`: more may follow. Text that cannot be read so is all content.
  virtual ChatReply read(const std::string& text, bool partial) const = 0;
};

/// What the model is given.
struct ChatPrompt {
  std::string text;
  std::optional<GrammarText> grammar = {};
  std::vector<std::string> stop_texts = {};
  std::vector<Token> shown = {};             ///< special tokens that the parser needs to see
  std::shared_ptr<const ChatParser> parser;  ///< null: whatever the model says is content

  /// What a whole answer says.
  ChatReply read(const std::string& answer) const;
};

/// The chat template of a model. Thread-safe.
class ChatTemplate {
 public:
  /// `instead`: another template than the file's, unless it is empty.
  /// @return kInvalidArgument for a template that cannot be read
  static Result<std::unique_ptr<ChatTemplate>> of(const Model& model,
                                                  const std::string& instead = {});
  virtual ~ChatTemplate() = default;

  /// @return kInvalidArgument for messages, tools or a schema that cannot be used, and for what the
  ///     template itself refuses
  virtual Result<ChatPrompt> render(const ChatQuestion& question) const = 0;
};

}  // namespace spindle::engine
