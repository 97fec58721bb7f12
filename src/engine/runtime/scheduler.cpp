#include "engine/runtime/scheduler.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <llama.h>

#include "engine/runtime/slot.h"

namespace spindle::engine {
namespace {

// Minimum number of tokens to save by waiting for a prompt that another slot is processing.
constexpr std::size_t kWorthWaiting = 64;
// Minimum length of a prefix to copy from another sequence: a copy always includes the whole
// sequence.
constexpr std::size_t kWorthCopying = 32;

/// The tokens of one slot in a step.
struct Part {
  Slot* slot;
  std::vector<Token> tokens;
  std::size_t begin;  ///< index of the first token in the batch
};

}  // namespace

struct Scheduler::Waiting {
  GenerationRequest request;
  std::shared_ptr<GenerationSink> sink;
  std::shared_ptr<Adapter> adapter;
};

Scheduler::Scheduler(const Model& model, const SchedulerOptions& options)
    : model_(model), options_(options), threads_(options.threads), batch_(options.batch) {
  llama_context_params params = llama_context_default_params();
  params.n_ctx =
      static_cast<std::uint32_t>(options_.slots * static_cast<std::size_t>(options_.context));
  params.n_batch = static_cast<std::uint32_t>(options_.batch);
  params.n_ubatch = params.n_batch;
  params.n_seq_max = static_cast<std::uint32_t>(options_.slots);
  // A separate KV cache per sequence: attention does not scan the cells of other sequences.
  params.kv_unified = false;
  params.no_perf = true;
  params.n_threads = threads_.count();
  params.n_threads_batch = threads_.count();
  if (options_.exact) {
    params.type_k = GGML_TYPE_F32;
    params.type_v = GGML_TYPE_F32;
    params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
  }
  context_ = llama_init_from_model(model.handle(), params);
  if (context_ == nullptr) throw std::runtime_error("the model does not fit into memory");
  if (threads_.handle() != nullptr)
    llama_attach_threadpool(context_, threads_.handle(), threads_.handle());
  for (std::size_t i = 0; i < options_.slots; ++i)
    slots_.push_back(std::make_unique<Slot>(model_, static_cast<int>(i)));
  thread_ = std::thread([this] { loop(); });
}

Scheduler::~Scheduler() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notifyAll();
  }
  thread_.join();
  llama_free(context_);
}

Result<void> Scheduler::submit(GenerationRequest request, std::shared_ptr<GenerationSink> sink) {
  if (request.prompt.empty()) return Error::invalidArgument("The prompt is empty.");
  const std::int64_t total = static_cast<std::int64_t>(request.prompt.size()) + request.max_tokens;
  if (request.max_tokens < 0 || total > options_.context) {
    return Error::invalidArgument("This model's maximum context length is " +
                                  std::to_string(options_.context) + " tokens. The prompt has " +
                                  std::to_string(request.prompt.size()) + " and " +
                                  std::to_string(request.max_tokens) + " were requested.");
  }
  for (const Token token : request.prompt) {
    if (!model_.knows(token))
      return Error::invalidArgument(
          "The prompt contains a token id that is not in the model's vocabulary.");
  }
  if (request.grammar) {
    if (const auto grammar = Grammar::of(model_, *request.grammar); !grammar)
      return grammar.error();
  }
  auto waiting = std::make_unique<Waiting>();
  const MutexLock lock(mutex_);
  if (!request.adapter.empty()) {
    const auto found = adapters_.find(request.adapter);
    if (found == adapters_.end()) return Error::notFound("The adapter is not loaded.");
    waiting->adapter = found->second;
  }
  if (waiting_.size() >= options_.queue)
    return Error(ErrorCode::kRateLimited, "Too many requests are waiting; try again later.");
  waiting->request = std::move(request);
  waiting->sink = std::move(sink);
  const auto place =
      std::upper_bound(waiting_.begin(), waiting_.end(), waiting->request.priority,
                       [](std::int64_t priority, const std::unique_ptr<Waiting>& other) {
                         return priority < other->request.priority;
                       });
  waiting_.insert(place, std::move(waiting));
  changed_.notifyAll();
  return {};
}

void Scheduler::addAdapter(const std::string& name, std::shared_ptr<Adapter> adapter) {
  const MutexLock lock(mutex_);
  adapters_[name] = std::move(adapter);
}

Result<void> Scheduler::removeAdapter(const std::string& name) {
  const MutexLock lock(mutex_);
  if (adapters_.erase(name) == 0) return Error::notFound("The adapter is not loaded.");
  return {};
}

std::uint64_t Scheduler::memoryBytes() const {
  return model_.kvBytesPerToken(options_.exact ? sizeof(float) : sizeof(std::uint16_t)) *
         llama_n_ctx(context_);
}

bool Scheduler::isBusy() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const std::unique_ptr<Slot>& slot) { return !slot->isFree(); });
}

void Scheduler::loop() {
  while (true) {
    {
      const MutexLock lock(mutex_);
      while (!stopping_ && waiting_.empty() && !isBusy()) changed_.wait(mutex_);
      if (stopping_) break;
      admit();
    }
    const auto now = std::chrono::steady_clock::now();
    for (const std::unique_ptr<Slot>& slot : slots_) {
      if (const std::optional<FinishReason> reason = slot->earlyFinish(now)) slot->end(*reason);
    }
    step();
  }
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (!slot->isFree()) slot->end(FinishReason::kCancelled);
  }
  const MutexLock lock(mutex_);
  GenerationEnd end;
  end.reason = FinishReason::kCancelled;
  for (const std::unique_ptr<Waiting>& waiting : waiting_) waiting->sink->onEnd(end);
}

void Scheduler::admit() {
  const auto now = std::chrono::steady_clock::now();
  // In order, except that a request that waits for a shared prefix lets others pass.
  for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
    bool done = false;
    if (const auto reason = earlyFinishOf((*waiting)->request, *(*waiting)->sink, now)) {
      GenerationEnd end;
      end.reason = *reason;
      (*waiting)->sink->onEnd(end);
      done = true;
    } else {
      done = slotFor(nullptr) != nullptr && admitOne(**waiting);
    }
    waiting = done ? waiting_.erase(waiting) : std::next(waiting);
  }
}

bool Scheduler::admitOne(Waiting& waiting) {
  const GenerationRequest& request = waiting.request;
  const std::shared_ptr<Adapter>& adapter = waiting.adapter;
  // The last token is always processed, because its logits are needed; with prompt_logprobs, all
  // are.
  const std::size_t most = request.prompt_logprobs >= 0 ? 0 : request.prompt.size() - 1;
  Slot* source = nullptr;
  std::size_t common = 0;
  for (const std::unique_ptr<Slot>& slot : slots_) {
    const std::size_t shared = std::min(slot->common(request, adapter), most);
    if (shared > common) {
      common = shared;
      source = slot.get();
    }
  }
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (std::min(slot->commonWithPrompt(request, adapter), most) >= common + kWorthWaiting)
      return false;
  }
  Slot* slot = slotFor(source);
  common = reusePrefix(*slot, source, common);
  Result<void> begun =
      slot->begin(std::move(waiting.request), waiting.sink, adapter, common, ++turn_);
  if (!begun) {
    GenerationEnd end;
    end.reason = FinishReason::kFailed;
    end.error = std::move(begun).error();
    waiting.sink->onEnd(end);
  }
  return true;
}

std::size_t Scheduler::reusePrefix(const Slot& slot, const Slot* source, std::size_t common) {
  llama_memory_t memory = llama_get_memory(context_);
  if (&slot != source) {
    llama_memory_seq_rm(memory, slot.sequence(), -1, -1);
    if (common < kWorthCopying) return 0;
    llama_memory_seq_cp(memory, source->sequence(), slot.sequence(), -1, -1);
  }
  // Some models cannot remove part of a sequence.
  if (llama_memory_seq_rm(memory, slot.sequence(), static_cast<llama_pos>(common), -1))
    return common;
  llama_memory_seq_rm(memory, slot.sequence(), -1, -1);
  return 0;
}

Slot* Scheduler::slotFor(const Slot* source) const {
  // The library processes sequences with consecutive numbers together and others one by one. So
  // prefer the slot that leaves the fewest groups of busy slots, then the one that needs no copy,
  // then the least recently used one.
  Slot* best = nullptr;
  std::tuple<std::size_t, bool, std::uint64_t> best_rank;
  for (std::size_t place = 0; place < slots_.size(); ++place) {
    Slot* slot = slots_[place].get();
    if (!slot->isFree()) continue;
    std::size_t groups = 0;
    bool before = false;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const bool busy = i == place || !slots_[i]->isFree();
      if (busy && !before) ++groups;
      before = busy;
    }
    const std::tuple rank(groups, slot != source, slot->lastUsed());
    if (best != nullptr && rank >= best_rank) continue;
    best = slot;
    best_rank = rank;
  }
  return best;
}

/// Returns the adapter of the next step: adapters alternate, ordered by address.
std::shared_ptr<Adapter> Scheduler::nextAdapter() const {
  std::set<std::shared_ptr<Adapter>> wanted;
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (!slot->isFree()) wanted.insert(slot->adapter());
  }
  const auto next = wanted.upper_bound(last_adapter_);
  return next == wanted.end() ? *wanted.begin() : *next;
}

/// Runs the forward pass of the batch. @return 0 on success
int Scheduler::decode(const std::shared_ptr<Adapter>& adapter) {
  if (adapter != last_adapter_) {
    llama_adapter_lora* handle = adapter == nullptr ? nullptr : adapter->handle();
    float scale = 1;
    const int failed =
        llama_set_adapters_lora(context_, &handle, handle == nullptr ? 0 : 1, &scale);
    if (failed != 0) return failed;
    last_adapter_ = adapter;
  }
  return llama_decode(context_, batch_.get());
}

void Scheduler::step() {
  if (!isBusy()) return;
  const std::shared_ptr<Adapter> adapter = nextAdapter();
  std::vector<Part> parts;
  // First one token for each running generation, then prompts, the oldest first.
  std::vector<Slot*> order;
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (!slot->isFree() && slot->adapter() == adapter) order.push_back(slot.get());
  }
  std::stable_sort(order.begin(), order.end(), [](const Slot* a, const Slot* b) {
    if (a->isReadingPrompt() != b->isReadingPrompt()) return !a->isReadingPrompt();
    return a->lastUsed() < b->lastUsed();
  });
  std::size_t room = options_.batch;
  for (Slot* slot : order) {
    std::vector<Token> pending = slot->pending(room);
    if (pending.empty()) continue;
    room -= pending.size();
    parts.push_back({slot, std::move(pending), 0});
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.slot->sequence() < b.slot->sequence(); });
  batch_.clear();
  for (Part& part : parts) {
    part.begin = batch_.size();
    for (std::size_t i = 0; i < part.tokens.size(); ++i)
      batch_.add(part.tokens[i], part.slot->position() + i, part.slot->sequence(),
                 part.slot->needsLogits(i, part.tokens.size()));
  }
  const int failed = decode(adapter);
  for (const Part& part : parts) {
    if (failed != 0) {
      llama_memory_seq_rm(llama_get_memory(context_), part.slot->sequence(), -1, -1);
      part.slot->end(FinishReason::kFailed,
                     Error::internal("The model failed (" + std::to_string(failed) + ")."));
      continue;
    }
    part.slot->advance(part.tokens, [this, &part](std::size_t place) {
      return llama_get_logits_ith(context_, static_cast<std::int32_t>(part.begin + place));
    });
  }
}

}  // namespace spindle::engine
