#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "engine/runtime/batch.h"
#include "engine/runtime/compute_threads.h"
#include "engine/runtime/generation.h"
#include "engine/runtime/model.h"

struct llama_context;

namespace spindle::engine {

class Slot;

struct SchedulerOptions {
  std::size_t slots = 4;        ///< concurrent generations
  std::int64_t context = 4096;  ///< maximum tokens of each generation
  std::size_t batch = 512;      ///< maximum tokens per forward pass
  std::size_t queue = 256;      ///< maximum number of waiting generations
  int threads = 0;              ///< 0: one thread per core
  bool exact = false;           ///< KV cache in float32: slower, for comparisons
};

/// Runs concurrent generations on one model with continuous batching. Each step computes the next
/// token of every running generation and fills the rest of the batch with pending prompts. A prompt
/// reuses the cached prefix that it shares with an earlier one. A step uses one adapter; adapters
/// alternate.
///
/// Thread-safe. One thread of the scheduler does all work and calls the sinks.
class Scheduler {
 public:
  /// Starts the thread. The model must outlive this object. @throws std::runtime_error when memory
  /// is insufficient
  Scheduler(const Model& model, const SchedulerOptions& options);
  /// Ends all generations with kCancelled.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Queues a generation; the last call of the sink is onEnd(). @return kInvalidArgument for an
  /// invalid request, kNotFound for an adapter that is not loaded, kRateLimited when the queue is
  /// full
  Result<void> submit(GenerationRequest request, std::shared_ptr<GenerationSink> sink);

  /// Adds an adapter. It replaces an adapter of the same name for new generations.
  void addAdapter(const std::string& name, std::shared_ptr<Adapter> adapter);
  /// Removes an adapter; running generations keep it. @return kNotFound
  Result<void> removeAdapter(const std::string& name);

  const SchedulerOptions& options() const { return options_; }
  /// Returns the size of the KV cache of all slots in bytes.
  std::uint64_t memoryBytes() const;

 private:
  struct Waiting;

  void loop();
  /// Assigns free slots to waiting generations.
  void admit() SPINDLE_REQUIRES(mutex_);
  bool admitOne(Waiting& waiting);
  /// Returns the free slot for a generation that shares a prefix with `source`; null when all slots
  /// are busy.
  Slot* slotFor(const Slot* source) const;
  /// Copies the first `common` tokens of `source` into the slot's KV cache. @return the number of
  /// cached tokens
  std::size_t reusePrefix(const Slot& slot, const Slot* source, std::size_t common);
  void step();
  int decode(const std::shared_ptr<Adapter>& adapter);
  std::shared_ptr<Adapter> nextAdapter() const;
  bool isBusy() const;

  const Model& model_;
  const SchedulerOptions options_;
  const ComputeThreads threads_;
  llama_context* context_ = nullptr;
  Batch batch_;                               // used only by thread_
  std::vector<std::unique_ptr<Slot>> slots_;  // used only by thread_
  std::uint64_t turn_ = 0;                    // used only by thread_
  std::shared_ptr<Adapter> last_adapter_;     // used only by thread_: active in the context

  Mutex mutex_;
  Condition changed_;
  std::deque<std::unique_ptr<Waiting>> waiting_ SPINDLE_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<Adapter>> adapters_ SPINDLE_GUARDED_BY(mutex_);
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace spindle::engine
