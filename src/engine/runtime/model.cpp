#include "engine/runtime/model.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <system_error>
#include <utility>

#include <dlfcn.h>
#include <llama.h>

#include "base/core/log.h"
#include "weights/adapters/lora_adapter.h"
#include "weights/formats/file_name.h"

namespace spindle::engine {
namespace {

constexpr Logger kLog("engine");

/// Returns the folder of the library, which also contains ggml's back ends.
std::string libraryFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&llama_backend_init), &info) == 0) return {};
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/'));
}

/// Captures the errors that the library reports on this thread, instead of logging them, during the
/// lifetime of the object.
class LibraryErrors {
 public:
  LibraryErrors() { current_ = this; }
  ~LibraryErrors() { current_ = nullptr; }
  LibraryErrors(const LibraryErrors&) = delete;
  LibraryErrors& operator=(const LibraryErrors&) = delete;

  static LibraryErrors* current() { return current_; }
  void add(std::string_view line) {
    // The first error names the cause; the following ones only report that loading failed.
    if (first_.empty()) first_ = line;
  }
  /// Returns the error `<file name>: <reason>`. Clients see it, so the folder is removed.
  Error about(const std::string& path, std::string_view otherwise) const {
    std::string_view first = first_;
    if (const std::size_t name = first.find(": "); name != std::string_view::npos)
      first.remove_prefix(name + 2);
    std::string why(first.empty() ? otherwise : first);
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    for (std::size_t at = 0; !folder.empty() && (at = why.find(folder, at)) != std::string::npos;)
      why.erase(at, folder.size());
    return Error::invalidArgument(weights::fileNameOf(path) + ": " + why);
  }

 private:
  static thread_local LibraryErrors* current_;
  std::string first_;
};
thread_local LibraryErrors* LibraryErrors::current_ = nullptr;

/// Ignores warnings: they concern settings that the engine chooses.
void log(ggml_log_level level, const char* text, void* /*unused*/) {
  if (level != GGML_LOG_LEVEL_ERROR) return;
  std::string_view line(text);
  while (line.ends_with('\n')) line.remove_suffix(1);
  if (LibraryErrors* errors = LibraryErrors::current()) return errors->add(line);
  kLog.error("llama", {{"message", line}});
}

/// Checks that a file can be opened: the library does not report the reason of a failure.
Result<void> checkReadable(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  char first = 0;
  if (file.get(first)) return {};
  const int problem = errno;
  return Error::invalidArgument(
      weights::fileNameOf(path) + ": " +
      (problem == 0 ? "the file is empty" : std::generic_category().message(problem)));
}

}  // namespace

void startBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    llama_log_set(log, nullptr);
    ggml_backend_load_all_from_path(libraryFolder().c_str());
    llama_backend_init();
  });
}

Result<std::unique_ptr<Model>> Model::load(const std::string& path,
                                           const std::function<bool(float)>& progress) {
  TRY(checkReadable(path));
  const LibraryErrors errors;
  llama_model_params params = llama_model_default_params();
  const std::function<bool(float)>* callback = &progress;
  if (progress) {
    params.progress_callback_user_data = &callback;
    params.progress_callback = [](float share, void* data) {
      return (**static_cast<const std::function<bool(float)>**>(data))(share);
    };
  }
  llama_model* handle = llama_model_load_from_file(path.c_str(), params);
  if (handle == nullptr) return errors.about(path, "this is not a model that can be loaded");
  return std::unique_ptr<Model>(new Model(handle, path));
}

Model::Model(llama_model* handle, std::string path)
    : handle_(handle),
      path_(std::move(path)),
      vocabulary_(llama_model_get_vocab(handle)),
      vocabulary_size_(static_cast<std::size_t>(llama_vocab_n_tokens(vocabulary_))) {
  for (Token token = 0; static_cast<std::size_t>(token) < vocabulary_size_; ++token) {
    if (llama_vocab_is_eog(vocabulary_, token)) ends_.push_back(token);
  }
}

Model::~Model() { llama_model_free(handle_); }

std::vector<Token> Model::tokensOf(std::string_view text, bool special, bool add_special) const {
  // Every token has at least one byte, but some vocabularies add a token before the text.
  std::vector<Token> tokens(text.size() + 2);
  const auto size = static_cast<std::int32_t>(text.size());
  std::int32_t count =
      llama_tokenize(vocabulary_, text.data(), size, tokens.data(),
                     static_cast<std::int32_t>(tokens.size()), add_special, special);
  if (count < 0) {
    tokens.resize(static_cast<std::size_t>(-count));
    count =
        llama_tokenize(vocabulary_, text.data(), size, tokens.data(), -count, add_special, special);
  }
  tokens.resize(static_cast<std::size_t>(std::max(count, 0)));
  return tokens;
}

std::string Model::bytesOf(Token token, bool special) const {
  std::string bytes(32, '\0');
  std::int32_t size = llama_token_to_piece(vocabulary_, token, bytes.data(),
                                           static_cast<std::int32_t>(bytes.size()), 0, special);
  if (size < 0) {
    bytes.resize(static_cast<std::size_t>(-size));
    size = llama_token_to_piece(vocabulary_, token, bytes.data(), -size, 0, special);
  }
  bytes.resize(static_cast<std::size_t>(std::max(size, 0)));
  return bytes;
}

bool Model::endsTurn(Token token) const { return llama_vocab_is_eog(vocabulary_, token); }

bool Model::generates() const {
  return llama_model_has_decoder(handle_) &&
         valueOf(valueOf("general.architecture") + ".attention.causal") != "false";
}

std::optional<int> Model::pooling() const {
  const std::string value = valueOf(valueOf("general.architecture") + ".pooling_type");
  if (value.empty()) return std::nullopt;
  return static_cast<int>(std::strtol(value.c_str(), nullptr, 10));
}

std::uint64_t Model::bytes() const { return llama_model_size(handle_); }

std::uint64_t Model::kvBytesPerToken(std::size_t number_bytes) const {
  const auto heads = static_cast<std::uint64_t>(llama_model_n_head_kv(handle_));
  const auto usual = static_cast<std::uint64_t>(llama_model_n_embd(handle_)) /
                     std::max<std::uint64_t>(1, llama_model_n_head(handle_));
  const auto width_of = [&](const char* which) {
    const std::string key = valueOf("general.architecture") + ".attention." + which;
    const std::string width = valueOf(key);
    return width.empty() ? usual : std::strtoull(width.c_str(), nullptr, 10);
  };
  return static_cast<std::uint64_t>(llama_model_n_layer(handle_)) * heads *
         (width_of("key_length") + width_of("value_length")) * number_bytes;
}

std::string Model::valueOf(const std::string& key) const {
  char value[128] = "";
  return llama_model_meta_val_str(handle_, key.c_str(), value, sizeof value) < 0 ? "" : value;
}

std::int64_t Model::context() const { return llama_model_n_ctx_train(handle_); }

Result<std::shared_ptr<Adapter>> Adapter::load(const Model& model, const std::string& path) {
  TRY(checkReadable(path));
  TRY(weights::checkLoraFile(path, model.path()));
  const LibraryErrors errors;
  llama_adapter_lora* handle = llama_adapter_lora_init(model.handle(), path.c_str());
  if (handle == nullptr) return errors.about(path, "this is not an adapter of the model");
  return std::shared_ptr<Adapter>(new Adapter(handle));
}

Adapter::~Adapter() { llama_adapter_lora_free(handle_); }

}  // namespace spindle::engine
