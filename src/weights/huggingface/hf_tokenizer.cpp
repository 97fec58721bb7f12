#include "weights/huggingface/hf_tokenizer.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include "weights/formats/json_file.h"
#include "weights/formats/mapped_file.h"

namespace spindle::weights {
namespace {

namespace fs = std::filesystem;

Error unsupportedTokenizer(const std::string& what) {
  return Error::invalidArgument(
      "tokenizer.json: " + what +
      " is not supported; byte-level BPE as of Llama 3, Qwen and SmolLM is.");
}

std::optional<json::Node> memberOf(const json::Node& node, std::string_view name) {
  if (!node.isObject()) return std::nullopt;
  const std::optional<json::Node> found = node.find(name);
  return found && !found->isNull() ? found : std::nullopt;
}

std::string textOf(const json::Node& node, std::string_view name) {
  const std::optional<json::Node> found = memberOf(node, name);
  return found && found->isString() ? found->text() : std::string();
}

bool isTrue(const json::Node& node, std::string_view name) {
  const std::optional<json::Node> found = memberOf(node, name);
  return found && found->kind() == json::Kind::kTrue;
}

/// Calls `each(name, value)` for every member.
template <class Each>
Result<void> forMembers(const json::Node& object, const Each& each) {
  std::optional<std::string> name;
  for (const json::Node node : object) {
    if (!name) {
      name = node.text();
      continue;
    }
    TRY(each(*name, node));
    name.reset();
  }
  return {};
}

/// Returns the pre-tokenizers: the elements of a sequence, or the single one.
std::vector<json::Node> preTokenizersOf(const json::Node& root) {
  std::vector<json::Node> pieces;
  const std::optional<json::Node> whole = memberOf(root, "pre_tokenizer");
  if (!whole) return pieces;
  const std::optional<json::Node> sequence = memberOf(*whole, "pretokenizers");
  if (!sequence || !sequence->isArray()) return {*whole};
  for (const json::Node piece : *sequence) pieces.push_back(piece);
  return pieces;
}

Result<std::string> preTokenizerOf(const json::Node& root) {
  std::string regex;
  bool digits = false;
  bool bytes = false;
  for (const json::Node& piece : preTokenizersOf(root)) {
    const std::string type = textOf(piece, "type");
    if (type == "ByteLevel") {
      bytes = true;
    } else if (type == "Digits") {
      digits = isTrue(piece, "individual_digits");
    } else if (type == "Split") {
      const std::optional<json::Node> pattern = memberOf(piece, "pattern");
      regex = pattern ? textOf(*pattern, "Regex") : std::string();
    } else {
      return unsupportedTokenizer("the pre-tokenizer " + type);
    }
  }
  if (!bytes) return unsupportedTokenizer("a tokenizer without ByteLevel");
  if (regex.find("\\p{N}{1,3}") != std::string::npos) return std::string("llama-bpe");
  if (regex.find("(?i:'s") != std::string::npos && regex.find("|\\p{N}|") != std::string::npos)
    return std::string("qwen2");
  if (!regex.empty()) return unsupportedTokenizer("the pattern " + regex);
  return std::string(digits ? "smollm" : "gpt-2");
}

/// Stores tokens by id.
class Vocabulary {
 public:
  Vocabulary(HfTokenizer& tokenizer, std::uint64_t size) : tokenizer_(tokenizer) {
    tokenizer_.tokens.resize(size);
    tokenizer_.types.assign(size, HfTokenizer::Type::kUnused);
  }

  Result<void> add(const json::Node& id, std::string text, HfTokenizer::Type type) {
    const std::int64_t number = id.kind() == json::Kind::kInteger ? id.integer().value_or(-1) : -1;
    if (number < 0 || static_cast<std::uint64_t>(number) >= tokenizer_.tokens.size()) {
      return Error::invalidArgument("tokenizer.json: the token " + text +
                                    " has an id beyond the vocabulary.");
    }
    const auto place = static_cast<std::size_t>(number);
    tokenizer_.tokens[place] = std::move(text);
    tokenizer_.types[place] = type;
    return {};
  }

  void fill() {
    for (std::size_t i = 0; i < tokenizer_.tokens.size(); ++i) {
      if (tokenizer_.types[i] == HfTokenizer::Type::kUnused)
        tokenizer_.tokens[i] = "[PAD" + std::to_string(i) + "]";
    }
  }

 private:
  HfTokenizer& tokenizer_;
};

/// Adds the tokens of the member `added_tokens`, if there is one.
Result<void> addAddedTokens(const json::Node& root, Vocabulary& tokens) {
  const std::optional<json::Node> added = memberOf(root, "added_tokens");
  if (!added || !added->isArray()) return {};
  for (const json::Node token : *added) {
    const std::optional<json::Node> id = memberOf(token, "id");
    if (!id) return unsupportedTokenizer("an added token without id");
    const auto type =
        isTrue(token, "special") ? HfTokenizer::Type::kControl : HfTokenizer::Type::kUserDefined;
    TRY(tokens.add(*id, textOf(token, "content"), type));
  }
  return {};
}

/// Returns a merge as two tokens with a space between them. The file has it so, or as a list.
Result<std::string> mergeOf(const json::Node& merge) {
  if (merge.isString()) return merge.text();
  std::vector<std::string> parts;
  if (merge.isArray()) {
    for (const json::Node part : merge) parts.push_back(part.isString() ? part.text() : "");
  }
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty())
    return unsupportedTokenizer("a merge that is no pair");
  return parts[0] + " " + parts[1];
}

Result<void> readTokens(const json::Node& root, std::uint64_t size, HfTokenizer& tokenizer) {
  const std::optional<json::Node> model = memberOf(root, "model");
  if (!model || textOf(*model, "type") != "BPE" || isTrue(*model, "byte_fallback"))
    return unsupportedTokenizer("a model other than byte-level BPE");
  const std::optional<json::Node> vocabulary = memberOf(*model, "vocab");
  const std::optional<json::Node> merges = memberOf(*model, "merges");
  if (!vocabulary || !vocabulary->isObject() || !merges || !merges->isArray())
    return unsupportedTokenizer("a model without vocab and merges");
  Vocabulary tokens(tokenizer, size);
  TRY(forMembers(*vocabulary, [&](const std::string& text, const json::Node& id) -> Result<void> {
    return tokens.add(id, text, HfTokenizer::Type::kNormal);
  }));
  TRY(addAddedTokens(root, tokens));
  tokens.fill();
  for (const json::Node merge : *merges) {
    std::string text = TRY(mergeOf(merge));
    tokenizer.merges.push_back(std::move(text));
  }
  return {};
}

/// Returns the id of a token that `tokenizer_config.json` names as a string or as an object with
/// `content`.
std::optional<std::int64_t> idOf(const HfTokenizer& tokenizer,
                                 const json::Node& config,
                                 std::string_view name) {
  const std::optional<json::Node> named = memberOf(config, name);
  if (!named) return std::nullopt;
  const std::string text = named->isString() ? named->text() : textOf(*named, "content");
  for (std::size_t i = 0; i < tokenizer.tokens.size(); ++i) {
    if (tokenizer.tokens[i] == text) return static_cast<std::int64_t>(i);
  }
  return std::nullopt;
}

/// Returns the chat template: a string, or the entry named `default` of a list.
std::string templateIn(const json::Node& config) {
  const std::optional<json::Node> given = memberOf(config, "chat_template");
  if (!given) return {};
  if (given->isString()) return given->text();
  if (!given->isArray()) return {};
  for (const json::Node one : *given) {
    if (textOf(one, "name") == "default") return textOf(one, "template");
  }
  return {};
}

}  // namespace

Result<HfTokenizer> readHfTokenizer(const std::string& folder, std::uint64_t size) {
  const fs::path root(folder);
  const json::Document document = TRY(readJsonFile(root / "tokenizer.json"));
  HfTokenizer tokenizer;
  std::string pre_tokenizer = TRY(preTokenizerOf(document.root()));
  tokenizer.pre_tokenizer = std::move(pre_tokenizer);
  TRY(readTokens(document.root(), size, tokenizer));

  const std::string settings = root / "tokenizer_config.json";
  if (fs::exists(settings)) {
    const json::Document config = TRY(readJsonFile(settings));
    tokenizer.begin = idOf(tokenizer, config.root(), "bos_token");
    tokenizer.end = idOf(tokenizer, config.root(), "eos_token");
    tokenizer.pad = idOf(tokenizer, config.root(), "pad_token");
    tokenizer.add_begin = isTrue(config.root(), "add_bos_token");
    tokenizer.chat_template = templateIn(config.root());
  }
  const std::string jinja = root / "chat_template.jinja";
  if (fs::exists(jinja)) {
    const MappedFile file = TRY(MappedFile::open(jinja));
    tokenizer.chat_template = file.bytes();
  }
  return tokenizer;
}

}  // namespace spindle::weights
