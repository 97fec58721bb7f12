#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "json/document.h"
#include "trainer/jobs/chat_codec.h"

namespace spindle::trainer {

/// A fake codec: ChatML with one token per byte and some special tokens after them. Rejects
/// messages with the role `refused`.
class CodecForTest final : public ChatCodec {
 public:
  static constexpr std::array<std::string_view, 7> kSpecial = {
      "<|im_start|>", "<|im_end|>", "<think>", "</think>", "\n\n", "[A]", "[B]"};

  explicit CodecForTest(std::string source = "<|im_start|>") : source_(std::move(source)) {}

  Result<std::string> render(const ChatText& chat) const override {
    const auto parsed = json::Document::parse(chat.messages);
    const json::Node messages = std::get<json::Document>(parsed).root();
    std::string text =
        chat.tools.empty() ? "" : "<|im_start|>system\n" + chat.tools + "<|im_end|>\n";
    std::size_t index = 0;
    for (const json::Node message : messages) {
      const std::string role = message.find("role")->text();
      if (role == "refused") return Error::invalidArgument("the chat template refuses it: no");
      const auto content = message.find("content");
      const bool last = ++index == messages.size();
      text += "<|im_start|>" + role + "\n";
      if (role == "assistant" && thinks() && last) text += "<think>\n\n</think>\n\n";
      text += (content && content->isString() ? content->text() : std::string()) + "<|im_end|>\n";
    }
    if (chat.add_generation_prompt) text += "<|im_start|>assistant\n";
    return text;
  }
  std::vector<std::int64_t> tokensOf(std::string_view text) const override {
    std::vector<std::int64_t> tokens;
    while (!text.empty()) {
      std::size_t taken = 0;
      for (std::size_t i = 0; i < kSpecial.size() && taken == 0; ++i) {
        if (!text.starts_with(kSpecial[i])) continue;
        tokens.push_back(256 + static_cast<std::int64_t>(i));
        taken = kSpecial[i].size();
      }
      if (taken == 0) {
        tokens.push_back(static_cast<unsigned char>(text.front()));
        taken = 1;
      }
      text.remove_prefix(taken);
    }
    return tokens;
  }
  std::string textOf(const std::vector<std::int64_t>& tokens) const override {
    std::string text;
    for (const std::int64_t token : tokens) {
      if (token < 256) {
        text += static_cast<char>(token);
      } else {
        text += kSpecial[static_cast<std::size_t>(token - 256)];
      }
    }
    return text;
  }
  std::int64_t endToken() const override { return 257; }
  std::int64_t vocabularySize() const override {
    return 256 + static_cast<std::int64_t>(kSpecial.size());
  }
  const std::string& chatTemplate() const override { return source_; }

 private:
  bool thinks() const { return source_.find("<think>") != std::string::npos; }

  const std::string source_;
};

inline const CodecForTest test_codec;

}  // namespace spindle::trainer
