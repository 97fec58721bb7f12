#include "trainer/jobs/chat_codec.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include <common/chat.h>
#include <dlfcn.h>
#include <llama.h>

namespace spindle::trainer {
namespace {

/// Initializes llama.cpp once per process. Disables its log, because only vocabularies and
/// templates are used.
void startBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&llama_backend_init), &info) != 0) {
      const std::string path = info.dli_fname;
      ggml_backend_load_all_from_path(path.substr(0, path.rfind('/')).c_str());
    }
    llama_backend_init();
  });
}

/// Returns the library's message without its reference to a discussion.
std::string reasonIn(std::string words) {
  words.resize(std::min(words.find('\n'), words.size()));
  words.resize(std::min(words.find(" (ref: "), words.size()));
  return words;
}

struct FreeModel {
  void operator()(llama_model* model) const { llama_model_free(model); }
};
using ModelHandle = std::unique_ptr<llama_model, FreeModel>;

class LlamaCodec final : public ChatCodec {
 public:
  LlamaCodec(ModelHandle model, common_chat_templates_ptr templates)
      : model_(std::move(model)),
        vocabulary_(llama_model_get_vocab(model_.get())),
        templates_(std::move(templates)),
        source_(common_chat_templates_source(templates_.get())) {}

  Result<std::string> render(const ChatText& chat) const override {
    try {
      common_chat_templates_inputs inputs;
      inputs.messages = common_chat_msgs_parse_oaicompat(common_json::parse(chat.messages));
      if (!chat.tools.empty())
        inputs.tools = common_chat_tools_parse_oaicompat(common_json::parse(chat.tools));
      inputs.add_generation_prompt = chat.add_generation_prompt;
      inputs.parallel_tool_calls = true;
      // Train on answers, not on reasoning.
      inputs.enable_thinking = !mentions("enable_thinking");
      if (mentions("preserve_thinking")) inputs.chat_template_kwargs["preserve_thinking"] = "true";
      if (!chat.variables.empty()) {
        const common_json variables = common_json::parse(chat.variables);
        for (const auto& [name, value] : variables.items()) {
          inputs.chat_template_kwargs[name] = value.dump();
          if (name == "enable_thinking" && value.is_boolean())
            inputs.enable_thinking = value.get<bool>();
        }
      }
      return common_chat_templates_apply(templates_.get(), inputs).prompt;
    } catch (const std::exception& refusal) {
      return Error::invalidArgument("the chat template refuses it: " + reasonIn(refusal.what()));
    }
  }

  std::vector<std::int64_t> tokensOf(std::string_view text) const override {
    // A token has at least one byte, but some vocabularies add one before the text.
    std::vector<llama_token> tokens(text.size() + 2);
    const auto size = static_cast<std::int32_t>(text.size());
    const std::int32_t count =
        llama_tokenize(vocabulary_, text.data(), size, tokens.data(),
                       static_cast<std::int32_t>(tokens.size()), false, true);
    tokens.resize(static_cast<std::size_t>(std::max(count, 0)));
    return {tokens.begin(), tokens.end()};
  }

  std::string textOf(const std::vector<std::int64_t>& tokens) const override {
    std::string text;
    for (const std::int64_t token : tokens) {
      std::string piece(32, '\0');
      const auto id = static_cast<llama_token>(token);
      std::int32_t size = llama_token_to_piece(vocabulary_, id, piece.data(),
                                               static_cast<std::int32_t>(piece.size()), 0, true);
      if (size < 0) {
        piece.resize(static_cast<std::size_t>(-size));
        size = llama_token_to_piece(vocabulary_, id, piece.data(), -size, 0, true);
      }
      text.append(piece, 0, static_cast<std::size_t>(std::max(size, 0)));
    }
    return text;
  }

  std::int64_t endToken() const override { return llama_vocab_eos(vocabulary_); }
  std::int64_t vocabularySize() const override { return llama_vocab_n_tokens(vocabulary_); }
  const std::string& chatTemplate() const override { return source_; }

 private:
  bool mentions(std::string_view variable) const {
    return source_.find(variable) != std::string::npos;
  }

  const ModelHandle model_;
  const llama_vocab* const vocabulary_;
  const common_chat_templates_ptr templates_;
  const std::string source_;
};

}  // namespace

std::optional<std::int64_t> ChatCodec::tokenOf(std::string_view text) const {
  const std::vector<std::int64_t> tokens = tokensOf(text);
  return tokens.size() == 1 ? std::optional(tokens.front()) : std::nullopt;
}

Result<std::unique_ptr<ChatCodec>> openChatCodec(const std::string& gguf_file) {
  startBackend();
  llama_model_params params = llama_model_default_params();
  params.vocab_only = true;
  ModelHandle model(llama_model_load_from_file(gguf_file.c_str(), params));
  if (model == nullptr)
    return Error::invalidArgument("The base model's vocabulary cannot be read.");
  try {
    common_chat_templates_ptr templates = common_chat_templates_init(model.get(), "");
    return std::unique_ptr<ChatCodec>(
        std::make_unique<LlamaCodec>(std::move(model), std::move(templates)));
  } catch (const std::exception& problem) {
    return Error::invalidArgument(std::string("The base model's chat template cannot be read: ") +
                                  problem.what());
  }
}

}  // namespace spindle::trainer
