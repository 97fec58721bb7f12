#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/chat_template.h"

namespace spindle::engine {

/// The new parts of an answer.
struct ParsedAnswerDelta {
  struct Call {
    std::size_t index = 0;
    bool fresh = false;  ///< a new call, with its name
    std::string name = {};
    std::string arguments = {};  ///< the new part
  };

  std::string content = {};
  std::string reasoning = {};
  std::vector<Call> calls = {};

  bool empty() const { return content.empty() && reasoning.empty() && calls.empty(); }
};

/// Parses an answer while it grows. All changes together equal the parse result of the complete
/// text. Parsing takes time proportional to the text: text that can only continue the current part
/// is passed on without parsing, and the rest is parsed again from the beginning only when enough
/// of it is new. Not thread-safe.
class IncrementalAnswerParser {
 public:
  /// `parser` may be null: then all text is content.
  explicit IncrementalAnswerParser(std::shared_ptr<const ChatParser> parser)
      : parser_(std::move(parser)) {}

  /// Appends text and returns the change.
  ParsedAnswerDelta add(std::string_view text);
  /// Returns the text that was held back. Call it once, after the last add().
  ParsedAnswerDelta finish();
  /// Returns the sum of all changes so far; the complete answer after finish().
  const ParsedAnswer& shown() const { return shown_; }

 private:
  enum class Part { kUnknown, kContent, kReasoning };

  bool canPass() const;
  ParsedAnswerDelta pass();
  ParsedAnswerDelta read(bool partial);
  ParsedAnswerDelta changeTo(const ParsedAnswer& reply, bool partial);
  void findPart(const ParsedAnswer& reply);

  const std::shared_ptr<const ChatParser> parser_;
  std::string text_;
  ParsedAnswer shown_;
  ParsedAnswer read_;        ///< last result of the parser
  std::size_t read_at_ = 0;  ///< size of the text in that call
  std::size_t passed_ = 0;   ///< size of the text that shown_ covers, while part_ is known
  Part part_ = Part::kUnknown;
};

}  // namespace spindle::engine
