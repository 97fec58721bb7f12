#pragma once

#include <string_view>

#include "inference/catalogue.h"

namespace spindle::inference {

/// What a request asks of a model.
enum class Operation { kChat, kCompletion, kEmbedding };

/// What stands behind `/v1`, here and at every upstream.
constexpr std::string_view pathOf(Operation operation) {
  switch (operation) {
    case Operation::kChat:
      return "/chat/completions";
    case Operation::kCompletion:
      return "/completions";
    case Operation::kEmbedding:
      return "/embeddings";
  }
  return {};
}

/// As usage names it.
constexpr std::string_view textOf(Operation operation) {
  switch (operation) {
    case Operation::kChat:
      return "chat";
    case Operation::kCompletion:
      return "completion";
    case Operation::kEmbedding:
      return "embedding";
  }
  return {};
}

/// What a model must be able to.
constexpr Ability abilityFor(Operation operation) {
  switch (operation) {
    case Operation::kChat:
      return Ability::kChat;
    case Operation::kCompletion:
      return Ability::kCompletions;
    case Operation::kEmbedding:
      return Ability::kEmbeddings;
  }
  return Ability::kChat;
}

}  // namespace spindle::inference
