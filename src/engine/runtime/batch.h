#pragma once

#include <cstddef>
#include <memory>

#include "engine/runtime/sampler.h"

struct llama_batch;

namespace spindle::engine {

/// The tokens of one forward pass (llama_batch). Not thread-safe.
class Batch {
 public:
  explicit Batch(std::size_t size);
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  std::size_t size() const;
  void clear();
  /// Adds a token; the batch must not be full. `output`: compute logits or embeddings for the
  /// token.
  void add(Token token, std::size_t position, int sequence, bool output);
  const llama_batch& get() const { return *batch_; }

 private:
  std::unique_ptr<llama_batch> batch_;
};

}  // namespace spindle::engine
