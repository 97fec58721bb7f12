#include "trainer/jobs/trajectory_tokens.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "trainer/jobs/logprob.h"

namespace spindle::trainer {
namespace {

constexpr std::string_view kThink = "<think>";
/// Distance in tokens between the template's own `<think>` and the answer.
constexpr std::size_t kThinkDistance = 4;

void append(TokenSequence& sequence, std::int64_t id, bool sampled, double logprob) {
  sequence.ids.push_back(id);
  sequence.sampled.push_back(sampled);
  sequence.old_logprobs.push_back(logprob);
}

bool hasSampled(const TokenSequence& sequence) {
  return std::find(sequence.sampled.begin(), sequence.sampled.end(), true) !=
         sequence.sampled.end();
}

Result<void> checkTokens(const std::vector<std::int64_t>& ids, const ChatCodec& codec) {
  for (const std::int64_t id : ids) {
    if (id >= codec.vocabularySize()) {
      return Error::invalidArgument("the token id " + std::to_string(id) +
                                    " is not in the base model's vocabulary");
    }
  }
  return {};
}

/// Builds sequences from choices that contain their own token ids and those of their prompts.
class ExactTokens {
 public:
  ExactTokens(const ChatCodec& codec, bool without_logprobs)
      : codec_(codec), without_logprobs_(without_logprobs) {}

  Result<std::vector<TokenSequence>> of(const History& history) {
    for (const HistoryItem& item : history.items) {
      if (!item.is_choice) continue;
      TRY(add(item));
    }
    close();
    return std::move(done_);
  }

 private:
  Result<void> add(const HistoryItem& choice) {
    const std::vector<std::int64_t>& prompt = *choice.prompt_ids;
    const std::vector<std::int64_t>& answer = *choice.token_ids;
    for (const auto* ids : {&prompt, &answer}) {
      TRY(checkTokens(*ids, codec_));
    }
    if (choice.logprobs && choice.logprobs->size() != answer.size()) {
      return Error::invalidArgument("a choice has " + std::to_string(answer.size()) +
                                    " token_ids but " + std::to_string(choice.logprobs->size()) +
                                    " logprobs");
    }
    // If the template rewrote earlier messages, start a new sequence.
    const bool goes_on = prompt.size() >= sequence_.ids.size() &&
                         std::equal(sequence_.ids.begin(), sequence_.ids.end(), prompt.begin());
    if (!goes_on) close();
    for (std::size_t i = sequence_.ids.size(); i < prompt.size(); ++i)
      append(sequence_, prompt[i], false, kUnknownLogprob);
    const bool learned = choice.logprobs.has_value() || without_logprobs_;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      append(sequence_, answer[i], learned,
             choice.logprobs ? (*choice.logprobs)[i].logprob : kUnknownLogprob);
    }
    return {};
  }

  void close() {
    if (hasSampled(sequence_)) done_.push_back(std::move(sequence_));
    sequence_ = {};
  }

  const ChatCodec& codec_;
  const bool without_logprobs_;
  TokenSequence sequence_;
  std::vector<TokenSequence> done_;
};

/// Builds a sequence from messages: renders the template with an unused token in place of each
/// sampled answer, and then inserts the sampled tokens there.
class SplicedTokens {
 public:
  SplicedTokens(const ChatCodec& codec, bool without_logprobs)
      : codec_(codec), without_logprobs_(without_logprobs) {}

  Result<std::vector<TokenSequence>> of(const History& history) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < history.items.size(); ++i) {
      if (isTrained(history.items[i])) end = i + 1;
    }
    if (end == 0) return std::vector<TokenSequence>();
    const std::vector<HistoryItem> items(history.items.begin(),
                                         history.items.begin() + static_cast<std::ptrdiff_t>(end));
    for (const HistoryItem& item : items) {
      if (isTrained(item) && !item.logprobs && item.has_tool_calls)
        return Error::invalidArgument(
            "an assistant message with tool_calls has no logprobs, without which it cannot be "
            "trained");
    }
    const std::vector<std::int64_t> plain = TRY(rendered(history, items, {}));
    const std::optional<std::int64_t> sentinel = unusedToken(plain);
    if (!sentinel) return Error::invalidArgument("its text uses the whole vocabulary");
    const std::vector<std::int64_t> marked = TRY(rendered(history, items, sentinel));
    TokenSequence spliced = TRY(splice(items, marked, *sentinel));
    return std::vector<TokenSequence>{std::move(spliced)};
  }

 private:
  bool isTrained(const HistoryItem& item) const {
    if (item.is_choice && item.logprobs) return true;
    return without_logprobs_ && item.role == "assistant";
  }

  static std::string withContent(const std::string& text) {
    std::string quoted;
    for (const char c : text) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    return R"({"role":"assistant","content":")" + quoted + "\"}";
  }

  Result<std::vector<std::int64_t>> rendered(const History& history,
                                             const std::vector<HistoryItem>& items,
                                             std::optional<std::int64_t> sentinel) const {
    std::string messages = "[";
    for (const HistoryItem& item : items) {
      messages += messages.size() > 1 ? "," : "";
      messages +=
          sentinel && isTrained(item) ? withContent(codec_.textOf({*sentinel})) : item.message;
    }
    const Result<std::string> text = codec_.render({.messages = messages + "]",
                                                    .tools = history.tools,
                                                    .variables = history.template_variables});
    if (!text) return Error::invalidArgument(text.error().message());
    return codec_.tokensOf(*text);
  }

  /// Returns the last token that is unused and whose text is tokenized to that token alone.
  std::optional<std::int64_t> unusedToken(const std::vector<std::int64_t>& used) const {
    const std::set<std::int64_t> taken(used.begin(), used.end());
    for (std::int64_t id = codec_.vocabularySize() - 1; id >= 0; --id) {
      if (taken.contains(id)) continue;
      const std::string text = codec_.textOf({id});
      const bool plain = !text.empty() && std::all_of(text.begin(), text.end(),
                                                      [](char c) { return c > ' ' && c < 0x7f; });
      if (plain && codec_.tokensOf(text) == std::vector<std::int64_t>{id}) return id;
    }
    return std::nullopt;
  }

  Result<TokenSequence> splice(const std::vector<HistoryItem>& items,
                               const std::vector<std::int64_t>& marked,
                               std::int64_t sentinel) const {
    TokenSequence sequence;
    std::size_t at = 0;
    for (const HistoryItem& item : items) {
      if (!isTrained(item)) continue;
      const auto begin = marked.begin() + static_cast<std::ptrdiff_t>(at);
      const auto found = std::find(begin, marked.end(), sentinel);
      if (found == marked.end())
        return Error::invalidArgument("the chat template omits an assistant message");
      for (auto token = begin; token != found; ++token) {
        append(sequence, *token, false, kUnknownLogprob);
      }
      std::vector<std::int64_t> ids;
      std::vector<double> logprobs;
      sampledOf(item, ids, logprobs);
      TRY(checkTokens(ids, codec_));
      dropOpenedThought(ids, sequence);
      for (std::size_t i = 0; i < ids.size(); ++i) append(sequence, ids[i], true, logprobs[i]);
      auto next = found + 1;
      // The template ends the turn with the same token as the policy: keep one.
      if (next != marked.end() && !ids.empty() && ids.back() == *next) ++next;
      at = static_cast<std::size_t>(next - marked.begin());
    }
    return sequence;
  }

  /// Removes the template's `<think>` if the policy's answer also starts with it.
  void dropOpenedThought(const std::vector<std::int64_t>& ids, TokenSequence& sequence) const {
    if (!codec_.textOf(ids).starts_with(kThink) || sequence.ids.size() < kThinkDistance) return;
    const std::size_t at = sequence.ids.size() - kThinkDistance;
    const std::vector<std::int64_t> opening(sequence.ids.begin() + static_cast<std::ptrdiff_t>(at),
                                            sequence.ids.end());
    if (!codec_.textOf(opening).starts_with(kThink)) return;
    sequence.ids.resize(at);
    sequence.sampled.resize(at);
    sequence.old_logprobs.resize(at);
  }

  void sampledOf(const HistoryItem& item,
                 std::vector<std::int64_t>& ids,
                 std::vector<double>& logprobs) const {
    if (!item.logprobs) {
      ids = codec_.tokensOf(item.content);
      logprobs.assign(ids.size(), kUnknownLogprob);
      return;
    }
    for (const SampledToken& token : *item.logprobs) {
      ids.push_back(idOf(token.text));
      logprobs.push_back(token.logprob);
    }
  }

  std::int64_t idOf(const std::string& text) const {
    constexpr std::string_view kPrefix = "token_id:";
    if (text.starts_with(kPrefix)) {
      std::int64_t id = 0;
      const char* end = text.data() + text.size();
      const auto [rest, problem] = std::from_chars(text.data() + kPrefix.size(), end, id);
      if (problem == std::errc() && rest == end && id >= 0) return id;
    }
    return codec_.tokenOf(text).value_or(codec_.endToken());
  }

  const ChatCodec& codec_;
  const bool without_logprobs_;
};

/// Returns true if every trainable choice contains its token ids.
bool isExact(const History& history) {
  bool any = false;
  for (const HistoryItem& item : history.items) {
    if (!item.is_choice) continue;
    if (!item.prompt_ids || !item.token_ids) return false;
    any = true;
  }
  return any;
}

}  // namespace

std::uint64_t TokenTrajectory::sampledTokens() const {
  std::uint64_t count = 0;
  for (const TokenSequence& sequence : sequences) {
    count += static_cast<std::uint64_t>(
        std::count(sequence.sampled.begin(), sequence.sampled.end(), true));
  }
  return count;
}

Result<TokenTrajectory> tokensOf(const Trajectory& trajectory,
                                 const ChatCodec& codec,
                                 bool without_logprobs) {
  TokenTrajectory tokens{.sequences = {}, .reward = trajectory.reward};
  for (const History& history : trajectory.histories) {
    std::vector<TokenSequence> sequences =
        TRY(isExact(history) ? ExactTokens(codec, without_logprobs).of(history)
                             : SplicedTokens(codec, without_logprobs).of(history));
    for (TokenSequence& sequence : sequences) tokens.sequences.push_back(std::move(sequence));
  }
  return tokens;
}

}  // namespace spindle::trainer
