// Plain llama.cpp: SEQUENCES sequences with different prompts, then one greedy token for each in
// every step. Prints the tokens per second of those steps.
//
//   bare_llama FILE SEQUENCES PROMPT_TOKENS TOKENS THREADS

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <llama.h>

namespace {

std::string libraryFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&llama_backend_init), &info) == 0) return {};
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/'));
}

void add(llama_batch& batch, llama_token token, int position, int sequence, bool output) {
  const int i = batch.n_tokens++;
  batch.token[i] = token;
  batch.pos[i] = position;
  batch.n_seq_id[i] = 1;
  batch.seq_id[i][0] = sequence;
  batch.logits[i] = output ? 1 : 0;
}

llama_token likeliest(const float* logits, int count) {
  return static_cast<llama_token>(std::max_element(logits, logits + count) - logits);
}

/// The same prompts that engine_load sends to the engine.
llama_token promptToken(int sequence, int place) {
  return 300 + (sequence * 977 + place * 31) % 30'000;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "bare_llama FILE SEQUENCES PROMPT_TOKENS TOKENS THREADS\n");
    return 2;
  }
  const int sequences = std::atoi(argv[2]);
  const int prompt = std::atoi(argv[3]);
  const int tokens = std::atoi(argv[4]);
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  ggml_backend_load_all_from_path(libraryFolder().c_str());
  llama_backend_init();
  llama_model* model = llama_model_load_from_file(argv[1], llama_model_default_params());
  llama_context_params params = llama_context_default_params();
  params.n_ctx =
      static_cast<std::uint32_t>(std::max(256, (prompt + tokens + 255) / 256 * 256) * sequences);
  params.n_batch = 512;
  params.n_ubatch = 512;
  params.n_seq_max = static_cast<std::uint32_t>(sequences);
  params.n_threads = std::atoi(argv[5]);
  params.n_threads_batch = params.n_threads;
  llama_context* context = model == nullptr ? nullptr : llama_init_from_model(model, params);
  if (context == nullptr) {
    std::fprintf(stderr, "bare_llama: %s cannot be used\n", argv[1]);
    return 1;
  }
  const int vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model));
  llama_batch batch = llama_batch_init(512, 0, 1);
  std::vector<llama_token> next(static_cast<std::size_t>(sequences));
  for (int sequence = 0; sequence < sequences; ++sequence) {
    batch.n_tokens = 0;
    for (int place = 0; place < prompt; ++place)
      add(batch, promptToken(sequence, place), place, sequence, place + 1 == prompt);
    if (llama_decode(context, batch) != 0) return 1;
    next[static_cast<std::size_t>(sequence)] =
        likeliest(llama_get_logits_ith(context, prompt - 1), vocabulary);
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int step = 0; step + 1 < tokens; ++step) {
    batch.n_tokens = 0;
    for (int sequence = 0; sequence < sequences; ++sequence)
      add(batch, next[static_cast<std::size_t>(sequence)], prompt + step, sequence, true);
    if (llama_decode(context, batch) != 0) return 1;
    for (int sequence = 0; sequence < sequences; ++sequence)
      next[static_cast<std::size_t>(sequence)] =
          likeliest(llama_get_logits_ith(context, sequence), vocabulary);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.2f\n", static_cast<double>(sequences * (tokens - 1)) / took.count());
  llama_batch_free(batch);
  llama_free(context);
  llama_model_free(model);
  return 0;
}
