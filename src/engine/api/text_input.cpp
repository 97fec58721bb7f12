#include "engine/api/text_input.h"

#include <utility>

#include "engine/runtime/text_stream.h"

namespace spindle::engine {
namespace {

InputText textOf(const Model& model, const TokenIds& ids) {
  InputText input;
  std::string bytes;
  for (const std::int64_t id : ids) {
    const auto token = static_cast<Token>(id);
    input.tokens.push_back(token);
    if (model.knows(token)) bytes += model.bytesOf(token, false);
  }
  input.text = replaceInvalidUtf8(bytes);
  return input;
}

}  // namespace

std::vector<InputText> textsOf(const Model& model, const TextInput& input, bool add_special) {
  std::vector<InputText> all;
  if (const auto* text = std::get_if<std::string>(&input)) {
    all.push_back({*text, model.tokensOf(*text, true, add_special)});
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&input)) {
    for (const std::string& one : *texts)
      all.push_back({one, model.tokensOf(one, true, add_special)});
  } else if (const auto* ids = std::get_if<TokenIds>(&input)) {
    all.push_back(textOf(model, *ids));
  } else {
    for (const TokenIds& one : std::get<std::vector<TokenIds>>(input))
      all.push_back(textOf(model, one));
  }
  return all;
}

}  // namespace spindle::engine
