#include "engine/runtime/batch.h"

#include <cstdint>

#include <llama.h>

namespace spindle::engine {

Batch::Batch(std::size_t size)
    : batch_(
          std::make_unique<llama_batch>(llama_batch_init(static_cast<std::int32_t>(size), 0, 1))) {
  clear();
}

Batch::~Batch() { llama_batch_free(*batch_); }

std::size_t Batch::size() const { return static_cast<std::size_t>(batch_->n_tokens); }

void Batch::clear() { batch_->n_tokens = 0; }

void Batch::add(Token token, std::size_t position, int sequence, bool output) {
  const std::int32_t i = batch_->n_tokens++;
  batch_->token[i] = token;
  batch_->pos[i] = static_cast<llama_pos>(position);
  batch_->n_seq_id[i] = 1;
  batch_->seq_id[i][0] = sequence;
  batch_->logits[i] = output ? 1 : 0;
}

}  // namespace spindle::engine
