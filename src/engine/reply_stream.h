#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat_template.h"

namespace spindle::engine {

/// What a reply has gained.
struct ReplyChange {
  struct Call {
    std::size_t index = 0;
    bool fresh = false;  ///< a new one, with its name
    std::string name = {};
    std::string arguments = {};  ///< the next piece
  };

  std::string content = {};
  std::string reasoning = {};
  std::vector<Call> calls = {};

  bool empty() const { return content.empty() && reasoning.empty() && calls.empty(); }
};

/// Reads a reply while it grows. All pieces together are what the whole text says, and reading
/// takes time in proportion to the text: text that can only go on as what came before it is passed
/// on unread, and the rest is read again from the beginning only when enough of it is new. For one
/// thread.
class ReplyStream {
 public:
  /// Without a parser all text is content.
  explicit ReplyStream(std::shared_ptr<const ChatParser> parser) : parser_(std::move(parser)) {}

  ReplyChange add(std::string_view text);
  /// What was held back. Nothing may be added behind it.
  ReplyChange finish();
  /// What was shown so far; all there is after finish().
  const ChatReply& shown() const { return shown_; }

 private:
  enum class Part { kUnknown, kContent, kReasoning };

  bool canPass() const;
  ReplyChange pass();
  ReplyChange read(bool partial);
  ReplyChange changeTo(const ChatReply& reply, bool partial);
  void findPart(const ChatReply& reply);

  const std::shared_ptr<const ChatParser> parser_;
  std::string text_;
  ChatReply shown_;
  ChatReply read_;           ///< what the parser said last
  std::size_t read_at_ = 0;  ///< how much text it was given then
  std::size_t passed_ = 0;   ///< text that shown_ covers, while part_ is known
  Part part_ = Part::kUnknown;
};

}  // namespace spindle::engine
