#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "engine/runtime/model.h"

struct llama_context;

namespace spindle::engine {

/// Computes normalised embeddings of texts, with its own llama.cpp context. Thread-safe: concurrent
/// calls run one after the other.
class Embedder {
 public:
  struct Options {
    std::int64_t context = 4096;  ///< maximum tokens of one text
    int threads = 0;              ///< 0: one thread per core
  };

  /// The model must outlive this object. Pools the token embeddings as the file says, otherwise by
  /// their mean. @throws std::runtime_error for a ranking model, or when memory is insufficient
  Embedder(const Model& model, const Options& options);
  ~Embedder();
  Embedder(const Embedder&) = delete;
  Embedder& operator=(const Embedder&) = delete;

  /// Returns one embedding per text. @return kInvalidArgument for empty texts, texts that are too
  /// long, and unknown tokens
  Result<std::vector<std::vector<float>>> embed(const std::vector<std::vector<Token>>& texts);

  /// Returns the number of dimensions of an embedding.
  std::size_t width() const { return width_; }
  /// Returns the maximum number of tokens of a text.
  std::size_t longest() const { return longest_; }
  std::uint64_t memoryBytes() const;

 private:
  Result<void> check(const std::vector<std::vector<Token>>& texts) const;
  Result<void> compute(const std::vector<std::vector<Token>>& texts,
                       std::size_t begin,
                       std::size_t end,
                       std::vector<std::vector<float>>& rows);

  const Model& model_;
  const std::size_t longest_;
  const std::size_t width_;
  Mutex mutex_;
  llama_context* context_ SPINDLE_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace spindle::engine
