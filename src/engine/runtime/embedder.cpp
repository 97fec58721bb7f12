#include "engine/runtime/embedder.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>

#include <llama.h>

#include "engine/runtime/batch.h"

namespace spindle::engine {
namespace {

constexpr std::size_t kTextsAtOnce = 64;
// A generative model also computes logits for each row, which need much memory with a large
// vocabulary.
constexpr std::int64_t kMaxTokensWithLogits = 2048;

std::size_t longestOf(const Model& model, const Embedder::Options& options) {
  const std::int64_t most = std::min(options.context, model.context());
  return static_cast<std::size_t>(model.generates() ? std::min(most, kMaxTokensWithLogits) : most);
}

std::vector<float> normalised(const float* numbers, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += static_cast<double>(numbers[i]) * static_cast<double>(numbers[i]);
  const double scale = sum > 0 ? 1 / std::sqrt(sum) : 0;
  std::vector<float> row(count);
  for (std::size_t i = 0; i < count; ++i)
    row[i] = static_cast<float>(static_cast<double>(numbers[i]) * scale);
  return row;
}

}  // namespace

Embedder::Embedder(const Model& model, const Options& options)
    : model_(model),
      longest_(longestOf(model, options)),
      width_(static_cast<std::size_t>(llama_model_n_embd_out(model.handle()))) {
  llama_context_params params = llama_context_default_params();
  // The library requires a multiple of the number of sequences.
  params.n_ctx =
      static_cast<std::uint32_t>((longest_ + kTextsAtOnce - 1) / kTextsAtOnce * kTextsAtOnce);
  // Pooling requires all tokens of a text in one micro-batch.
  params.n_batch = params.n_ctx;
  params.n_ubatch = params.n_ctx;
  params.n_seq_max = kTextsAtOnce;
  params.kv_unified = true;
  params.no_perf = true;
  params.embeddings = true;
  params.n_threads =
      options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  params.n_threads_batch = params.n_threads;
  const int pooling = model.pooling().value_or(LLAMA_POOLING_TYPE_NONE);
  if (pooling == LLAMA_POOLING_TYPE_RANK)
    throw std::runtime_error("this is a ranking model: it has no embeddings");
  params.pooling_type = pooling == LLAMA_POOLING_TYPE_NONE
                            ? LLAMA_POOLING_TYPE_MEAN
                            : static_cast<enum llama_pooling_type>(pooling);
  context_ = llama_init_from_model(model.handle(), params);
  if (context_ == nullptr) throw std::runtime_error("the model does not fit into memory");
}

Embedder::~Embedder() { llama_free(context_); }

std::uint64_t Embedder::memoryBytes() const {
  return model_.generates() ? model_.kvBytesPerToken(sizeof(std::uint16_t)) * longest_ : 0;
}

Result<void> Embedder::check(const std::vector<std::vector<Token>>& texts) const {
  for (const std::vector<Token>& text : texts) {
    if (text.empty()) return Error::invalidArgument("An input is empty.");
    if (text.size() > longest_) {
      return Error::invalidArgument("An input has " + std::to_string(text.size()) +
                                    " tokens; this model takes at most " +
                                    std::to_string(longest_) + ".")
          .because("context_length_exceeded");
    }
    if (!std::all_of(text.begin(), text.end(), [this](Token t) { return model_.knows(t); }))
      return Error::invalidArgument(
          "An input contains a token id that is not in the model's vocabulary.");
  }
  return {};
}

Result<std::vector<std::vector<float>>> Embedder::embed(
    const std::vector<std::vector<Token>>& texts) {
  TRY(check(texts));
  std::vector<std::vector<float>> rows;
  rows.reserve(texts.size());
  while (rows.size() < texts.size()) {
    const std::size_t begin = rows.size();
    std::size_t end = begin;
    std::size_t tokens = 0;
    while (end < texts.size() && end - begin < kTextsAtOnce &&
           tokens + texts[end].size() <= longest_)
      tokens += texts[end++].size();
    TRY(compute(texts, begin, end, rows));
  }
  return rows;
}

Result<void> Embedder::compute(const std::vector<std::vector<Token>>& texts,
                               std::size_t begin,
                               std::size_t end,
                               std::vector<std::vector<float>>& rows) {
  Batch batch(longest_);
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t place = 0; place < texts[i].size(); ++place)
      batch.add(texts[i][place], place, static_cast<int>(i - begin), true);
  }
  const MutexLock lock(mutex_);
  if (llama_memory_t memory = llama_get_memory(context_)) llama_memory_clear(memory, false);
  if (const int failed = llama_decode(context_, batch.get()); failed != 0)
    return Error::internal("The model failed (" + std::to_string(failed) + ").");
  for (std::size_t i = begin; i < end; ++i) {
    const float* row = llama_get_embeddings_seq(context_, static_cast<llama_seq_id>(i - begin));
    if (row == nullptr) return Error::internal("The model gave no embedding.");
    rows.push_back(normalised(row, width_));
  }
  return {};
}

}  // namespace spindle::engine
