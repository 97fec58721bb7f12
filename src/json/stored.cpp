#include "json/stored.h"

#include <stdexcept>
#include <utility>
#include <variant>

namespace spindle::json {

Document parseStored(std::string text) {
  std::variant<Document, SyntaxError> outcome = Document::parse(std::move(text), kStoredDepth);
  if (const auto* broken = std::get_if<SyntaxError>(&outcome)) {
    throw std::runtime_error("stored JSON is damaged at character " +
                             std::to_string(broken->position) + ": " + broken->message);
  }
  return std::get<Document>(std::move(outcome));
}

}  // namespace spindle::json
