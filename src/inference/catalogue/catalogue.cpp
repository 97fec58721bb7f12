#include "inference/catalogue/catalogue.h"

#include <array>

namespace spindle::inference {
namespace {

constexpr std::array kAbilities = {Ability::kChat, Ability::kCompletions, Ability::kEmbeddings};

}  // namespace

std::string_view textOf(Ability ability) {
  switch (ability) {
    case Ability::kChat:
      return "chat";
    case Ability::kCompletions:
      return "completions";
    case Ability::kEmbeddings:
      return "embeddings";
  }
  return {};
}

std::optional<Ability> abilityOf(std::string_view text) {
  for (const Ability ability : kAbilities) {
    if (textOf(ability) == text) return ability;
  }
  return std::nullopt;
}

}  // namespace spindle::inference
