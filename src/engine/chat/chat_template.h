#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "engine/runtime/grammar.h"
#include "engine/runtime/model.h"

namespace spindle::engine {

/// Whether the model may (kAuto), must or must not call a tool.
enum class ToolChoice { kAuto, kRequired, kNone };

/// The input of a chat template, in the format of the OpenAI API.
struct ChatTemplateInput {
  std::string messages;    ///< a JSON array
  std::string tools = {};  ///< a JSON array; empty: no tools
  ToolChoice tool_choice = ToolChoice::kAuto;
  bool parallel_tool_calls = true;
  /// JSON schema of the answer; empty: no restriction.
  std::string json_schema = {};
  bool add_generation_prompt = true;
  bool continue_final_message = false;
  bool enable_thinking = true;
  /// Further variables of the template; the values are JSON.
  std::map<std::string, std::string> variables = {};
};

struct ChatToolCall {
  std::string name;
  std::string arguments;  ///< JSON; incomplete while the text is partial
};

struct ParsedAnswer {
  std::string content;
  std::string reasoning;
  std::vector<ChatToolCall> tool_calls;
};

/// Parses the answer to one prompt into content, reasoning and tool calls. Immutable.
class ChatParser {
 public:
  virtual ~ChatParser() = default;
  /// Parses the text. `partial`: more text may follow. Text that cannot be parsed is content.
  virtual ParsedAnswer read(const std::string& text, bool partial) const = 0;
};

/// A rendered prompt, with the grammar and parser of its answer.
struct ChatPrompt {
  std::string text;
  std::optional<GrammarText> grammar = {};
  std::vector<std::string> stop_texts = {};
  std::vector<Token> visible_special = {};   ///< special tokens that the parser needs in the text
  std::shared_ptr<const ChatParser> parser;  ///< null: all text is content

  /// Parses a complete answer.
  ParsedAnswer read(const std::string& answer) const;
};

/// The chat template of a model. Thread-safe.
class ChatTemplate {
 public:
  /// Parses the template of the model file, or `template_override` if it is not empty.
  /// @return kInvalidArgument for a template that cannot be parsed
  static Result<std::unique_ptr<ChatTemplate>> of(const Model& model,
                                                  const std::string& template_override = {});
  virtual ~ChatTemplate() = default;

  /// Renders the prompt.
  /// @return kInvalidArgument for invalid messages, tools or schemas, and for errors of the
  /// template
  virtual Result<ChatPrompt> render(const ChatTemplateInput& input) const = 0;
};

}  // namespace spindle::engine
