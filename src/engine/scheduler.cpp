#include "engine/scheduler.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>
#include <utility>

#include <llama.h>

#include "engine/batch.h"
#include "engine/slot.h"

namespace spindle::engine {
namespace {

// A prompt that another one is just reading is waited for when it saves at least so much.
constexpr std::size_t kWorthWaiting = 64;

/// What one slot put into a step.
struct Part {
  Slot* slot;
  std::vector<Token> tokens;
  std::size_t begin;  ///< the place of its first token in the batch
};

}  // namespace

struct Scheduler::Waiting {
  GenerationRequest request;
  std::shared_ptr<GenerationSink> sink;
  std::shared_ptr<Adapter> adapter;
};

Scheduler::Scheduler(const Model& model, const SchedulerOptions& options)
    : model_(model), options_(options) {
  llama_context_params params = llama_context_default_params();
  params.n_ctx =
      static_cast<std::uint32_t>(options_.slots * static_cast<std::size_t>(options_.context));
  params.n_batch = static_cast<std::uint32_t>(options_.batch);
  params.n_ubatch = params.n_batch;
  params.n_seq_max = static_cast<std::uint32_t>(options_.slots);
  // One memory for all sequences: what they have in common is in it once.
  params.kv_unified = true;
  params.no_perf = true;
  const int threads = options_.threads > 0 ? options_.threads
                                           : static_cast<int>(std::thread::hardware_concurrency());
  params.n_threads = threads;
  params.n_threads_batch = threads;
  if (options_.exact) {
    params.type_k = GGML_TYPE_F32;
    params.type_v = GGML_TYPE_F32;
    params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
  }
  context_ = llama_init_from_model(model.handle(), params);
  if (context_ == nullptr) throw std::runtime_error("the model does not fit into memory");
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
                                  std::to_string(request.max_tokens) + " were asked for.");
  }
  for (const Token token : request.prompt) {
    if (!model_.knows(token))
      return Error::invalidArgument("The prompt has a token that the model does not know.");
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
  return model_.bytesToRemember(options_.exact ? sizeof(float) : sizeof(std::uint16_t)) *
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
      if (const std::optional<FinishReason> reason = slot->cutShort(now)) slot->end(*reason);
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
  // In order; but one that waits for a prompt that is just being read lets others pass.
  for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
    bool done = false;
    if (const auto reason = cutShortOf((*waiting)->request, *(*waiting)->sink, now)) {
      GenerationEnd end;
      end.reason = *reason;
      (*waiting)->sink->onEnd(end);
      done = true;
    } else {
      done = freeSlot() != nullptr && admitOne(**waiting);
    }
    waiting = done ? waiting_.erase(waiting) : std::next(waiting);
  }
}

bool Scheduler::admitOne(Waiting& waiting) {
  const GenerationRequest& request = waiting.request;
  const Adapter* adapter = waiting.adapter.get();
  // The last token is always read: its logits are needed. Or those of all.
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
    if (std::min(slot->commonSoon(request, adapter), most) >= common + kWorthWaiting) return false;
  }
  Slot* slot = source != nullptr && source->isFree() ? source : freeSlot();
  llama_memory_t memory = llama_get_memory(context_);
  if (slot == source) {
    llama_memory_seq_rm(memory, slot->sequence(), static_cast<llama_pos>(common), -1);
  } else {
    llama_memory_seq_rm(memory, slot->sequence(), -1, -1);
    if (common > 0)
      llama_memory_seq_cp(memory, source->sequence(), slot->sequence(), 0,
                          static_cast<llama_pos>(common));
  }
  Result<void> begun =
      slot->begin(std::move(waiting.request), waiting.sink, waiting.adapter, common, ++turn_);
  if (!begun) {
    GenerationEnd end;
    end.reason = FinishReason::kFailed;
    end.error = std::move(begun).error();
    waiting.sink->onEnd(end);
  }
  return true;
}

/// The free one that was used longest ago.
Slot* Scheduler::freeSlot() const {
  Slot* oldest = nullptr;
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (slot->isFree() && (oldest == nullptr || slot->lastUsed() < oldest->lastUsed()))
      oldest = slot.get();
  }
  return oldest;
}

/// Adapters take turns, in the order of their places in memory.
const Adapter* Scheduler::nextAdapter() {
  std::set<const Adapter*> wanted;
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (!slot->isFree()) wanted.insert(slot->adapter());
  }
  const auto next = wanted.upper_bound(last_adapter_);
  return next == wanted.end() ? *wanted.begin() : *next;
}

void Scheduler::step() {
  if (!isBusy()) return;
  last_adapter_ = nextAdapter();
  Batch batch(options_.batch);
  std::vector<Part> parts;
  // First a token for each that generates, then prompts, the longest waiting first.
  std::vector<Slot*> order;
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (!slot->isFree() && slot->adapter() == last_adapter_) order.push_back(slot.get());
  }
  std::stable_sort(order.begin(), order.end(), [](const Slot* a, const Slot* b) {
    if (a->isReadingPrompt() != b->isReadingPrompt()) return !a->isReadingPrompt();
    return a->lastUsed() < b->lastUsed();
  });
  for (Slot* slot : order) {
    std::vector<Token> due = slot->due(options_.batch - batch.size());
    if (due.empty()) continue;
    const std::size_t begin = batch.size();
    for (std::size_t i = 0; i < due.size(); ++i)
      batch.add(due[i], slot->position() + i, slot->sequence(), slot->needsLogits(i, due.size()));
    parts.push_back({slot, std::move(due), begin});
  }
  llama_adapter_lora* adapter = last_adapter_ == nullptr ? nullptr : last_adapter_->handle();
  float scale = 1;
  int failed = llama_set_adapters_lora(context_, &adapter, adapter == nullptr ? 0 : 1, &scale);
  if (failed == 0) failed = llama_decode(context_, batch.get());
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
