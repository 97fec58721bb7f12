#include "trainer/jobs/sft_tokens.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace spindle::trainer {
namespace {

using Tokens = std::vector<std::int64_t>;

std::string listed(const std::vector<std::string>& messages, std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text.append(i == 0 ? "" : ",").append(messages[i]);
  return text + "]";
}

Result<std::string> rendered(const SftRow& row,
                             const ChatCodec& codec,
                             std::size_t count,
                             bool add_generation_prompt = false) {
  return codec.render({.messages = listed(row.messages, count),
                       .tools = row.tools,
                       .add_generation_prompt = add_generation_prompt});
}

bool matchesAt(const Tokens& tokens, std::size_t at, const Tokens& part) {
  return !part.empty() && at + part.size() <= tokens.size() &&
         std::equal(part.begin(), part.end(), tokens.begin() + static_cast<std::ptrdiff_t>(at));
}

/// Labels the tokens after a response marker up to the next instruction marker.
std::vector<bool> betweenMarkers(const Tokens& tokens,
                                 const Tokens& response,
                                 const std::vector<Tokens>& instructions) {
  std::vector<bool> labels(tokens.size(), false);
  bool inside = false;
  std::size_t begins = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (matchesAt(tokens, i, response)) {
      inside = true;
      begins = i + response.size();
    } else if (std::any_of(instructions.begin(), instructions.end(),
                           [&](const Tokens& marker) { return matchesAt(tokens, i, marker); })) {
      inside = false;
    }
    labels[i] = inside && i >= begins;
  }
  return labels;
}

Result<LabelledTokens> allTurns(const SftRow& row, const ChatCodec& codec) {
  const std::optional<TurnMarkers> markers = turnMarkersOf(codec.chatTemplate());
  if (!markers) {
    return Error::invalidArgument(
        "the base model's chat template is of an unknown kind: use assistant_turns \"last\" or a "
        "loss_mask");
  }
  const std::string text = TRY(rendered(row, codec, row.messages.size()));
  LabelledTokens tokens{codec.tokensOf(text), {}};
  std::vector<Tokens> instructions;
  for (const std::string& marker : markers->instructions)
    instructions.push_back(codec.tokensOf(marker));
  for (const std::string& marker : markers->responses) {
    tokens.labelled = betweenMarkers(tokens.ids, codec.tokensOf(marker), instructions);
    if (std::find(tokens.labelled.begin(), tokens.labelled.end(), true) != tokens.labelled.end())
      break;
  }
  return tokens;
}

Result<LabelledTokens> lastTurn(const SftRow& row, const ChatCodec& codec) {
  if (row.roles.back() != "assistant")
    return Error::invalidArgument("its last message is not the assistant's");
  const std::string prompt = TRY(rendered(row, codec, row.messages.size() - 1, true));
  const std::string whole = TRY(rendered(row, codec, row.messages.size()));
  if (!whole.starts_with(prompt)) {
    return Error::invalidArgument(
        "the chat template changes the beginning of the conversation after it is "
        "answered: use assistant_turns \"all\"");
  }
  LabelledTokens tokens{codec.tokensOf(prompt), {}};
  tokens.labelled.assign(tokens.ids.size(), false);
  for (const std::int64_t id : codec.tokensOf(std::string_view(whole).substr(prompt.size()))) {
    tokens.ids.push_back(id);
    tokens.labelled.push_back(true);
  }
  return tokens;
}

bool isTrained(const LossMask& mask, const SftRow& row, std::size_t message) {
  switch (mask.kind) {
    case LossMask::Kind::kNone:
      return false;
    case LossMask::Kind::kLastAssistant: {
      const auto last = std::find(row.roles.rbegin(), row.roles.rend(), "assistant");
      return last != row.roles.rend() &&
             message + 1 == static_cast<std::size_t>(row.roles.rend() - last);
    }
    case LossMask::Kind::kMessages:
      return mask.messages[message];
    case LossMask::Kind::kRoles: {
      const auto found = mask.roles.find(row.roles[message]);
      return found == mask.roles.end() ? row.roles[message] == "assistant" : found->second;
    }
    case LossMask::Kind::kAll:
      break;
  }
  return true;
}

Result<LabelledTokens> byMessage(const SftRow& row, const ChatCodec& codec) {
  const LossMask& mask = *row.loss_mask;
  if (mask.kind == LossMask::Kind::kMessages && mask.messages.size() != row.messages.size())
    return Error::invalidArgument("loss_mask.mask is not as long as messages");
  LabelledTokens tokens;
  for (std::size_t message = 0; message < row.messages.size(); ++message) {
    const std::string text = TRY(rendered(row, codec, message + 1));
    Tokens grown = codec.tokensOf(text);
    if (!matchesAt(grown, 0, tokens.ids) && !tokens.ids.empty()) {
      return Error::invalidArgument(
          "loss_mask cannot be used: the chat template changes earlier messages when later ones "
          "follow");
    }
    tokens.labelled.resize(grown.size(), isTrained(mask, row, message));
    tokens.ids = std::move(grown);
  }
  return tokens;
}

}  // namespace

std::optional<TurnMarkers> turnMarkersOf(const std::string& chat_template) {
  const auto has = [&](std::string_view text) {
    return chat_template.find(text) != std::string::npos;
  };
  if (has("<|im_start|>")) {
    TurnMarkers markers{{"<|im_start|>user\n", "<|im_start|>tool\n", "<|im_start|>system\n"},
                        {"<|im_start|>assistant\n"}};
    // Models with optional reasoning: without it, answers follow an empty thought.
    if (has("<think>") && has("enable_thinking")) {
      markers.responses.insert(markers.responses.begin(),
                               "<|im_start|>assistant\n<think>\n\n</think>\n\n");
    }
    return markers;
  }
  if (has("<|start_header_id|>")) {
    const auto header = [](const std::string& role) {
      return "<|start_header_id|>" + role + "<|end_header_id|>\n\n";
    };
    return TurnMarkers{{header("user"), header("ipython"), header("tool"), header("system")},
                       {header("assistant")}};
  }
  if (has("<start_of_turn>"))
    return TurnMarkers{{"<start_of_turn>user\n"}, {"<start_of_turn>model\n"}};
  if (has("[INST]")) return TurnMarkers{{"[INST]"}, {"[/INST]"}};
  return std::nullopt;
}

Result<LabelledTokens> labelled(const SftRow& row, const ChatCodec& codec, AssistantTurns turns) {
  Result<LabelledTokens> tokens = row.loss_mask                    ? byMessage(row, codec)
                                  : turns == AssistantTurns::kLast ? lastTurn(row, codec)
                                                                   : allTurns(row, codec);
  if (tokens && !tokens->labelled.empty()) tokens->labelled[0] = false;
  return tokens;
}

}  // namespace spindle::trainer
