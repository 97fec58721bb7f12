#pragma once

#include <string_view>

#include "inference/catalogue/catalogue.h"

namespace spindle::inference {

/// The kind of a model request.
enum class Operation { kChat, kCompletion, kEmbedding };

/// Returns the path after `/v1`, here and at every upstream.
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

/// Returns the name in usage records.
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

/// Returns the ability that a model needs for the operation.
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
