#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "inference/catalogue/catalogue.h"

namespace spindle::inference {

/// The kind of a model request.
enum class Operation { kChat, kCompletion, kEmbedding };

struct OperationFacts {
  std::string_view path;  ///< after `/v1`, here and at every upstream
  std::string_view text;  ///< name in usage records
  Ability ability;        ///< needed by the model
  std::string_view call;  ///< op name under which an SDK would record the request
};

/// In the order of the enumeration.
inline constexpr std::array<OperationFacts, 3> kOperations = {{
    {"/chat/completions", "chat", Ability::kChat, "openai.chat.completions.create"},
    {"/completions", "completion", Ability::kCompletions, "openai.completions.create"},
    {"/embeddings", "embedding", Ability::kEmbeddings, "openai.embeddings.create"},
}};
static_assert(kOperations.size() == static_cast<std::size_t>(Operation::kEmbedding) + 1);

constexpr const OperationFacts& factsOf(Operation operation) {
  return kOperations.at(static_cast<std::size_t>(operation));
}
constexpr std::string_view pathOf(Operation operation) { return factsOf(operation).path; }
constexpr std::string_view textOf(Operation operation) { return factsOf(operation).text; }
constexpr Ability abilityFor(Operation operation) { return factsOf(operation).ability; }

}  // namespace spindle::inference
