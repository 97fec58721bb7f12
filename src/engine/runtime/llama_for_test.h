#pragma once

#include <llama.h>

namespace spindle::engine {

/// Returns the parameters of a small context with one thread, for results of llama.cpp alone.
inline llama_context_params referenceParams() {
  llama_context_params params = llama_context_default_params();
  params.n_ctx = 256;
  params.n_threads = 1;
  params.n_threads_batch = 1;
  return params;
}

}  // namespace spindle::engine
