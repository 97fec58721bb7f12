#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "engine/batch.h"
#include "engine/compute_threads.h"
#include "engine/generation.h"
#include "engine/model.h"

struct llama_context;

namespace spindle::engine {

class Slot;

struct SchedulerOptions {
  std::size_t slots = 4;        ///< generations at a time
  std::int64_t context = 4096;  ///< tokens of each
  std::size_t batch = 512;      ///< tokens in one step of the model
  std::size_t queue = 256;      ///< generations that wait
  int threads = 0;              ///< 0: as many as there are cores
  bool exact = false;           ///< everything in 32 bits: slower, for comparisons
};

/// Generates for many at once with one model: in every step each generation gets its next token,
/// and prompts that are still to be read get what is left of the batch. What a prompt has in common
/// with one that was read before is not read again. Adapters take turns, a step each.
///
/// Thread-safe; a thread of its own does the work and calls the sinks.
class Scheduler {
 public:
  /// Starts the thread. The model outlives it. @throws std::runtime_error
  Scheduler(const Model& model, const SchedulerOptions& options);
  /// Ends all generations with kCancelled.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// The sink is called until its onEnd(). @return kInvalidArgument for a request that cannot be,
  /// kNotFound for an adapter that is not loaded, kRateLimited when too many wait
  Result<void> submit(GenerationRequest request, std::shared_ptr<GenerationSink> sink);

  /// A name stands for one adapter: it replaces another of that name for generations from then on.
  void addAdapter(const std::string& name, std::shared_ptr<Adapter> adapter);
  /// Those that use it go on. @return kNotFound
  Result<void> removeAdapter(const std::string& name);

  const SchedulerOptions& options() const { return options_; }
  /// Bytes that all slots can remember.
  std::uint64_t memoryBytes() const;

 private:
  struct Waiting;

  void loop();
  /// Gives free slots to those that wait.
  void admit() SPINDLE_REQUIRES(mutex_);
  bool admitOne(Waiting& waiting);
  /// The free one to use for what begins like the memory of `source`; null when all are busy.
  Slot* slotFor(const Slot* source) const;
  /// Puts the first `common` tokens of `source` into the slot's memory. @return how many are there
  std::size_t remember(const Slot& slot, const Slot* source, std::size_t common);
  void step();
  int decode(const std::shared_ptr<Adapter>& adapter);
  std::shared_ptr<Adapter> nextAdapter() const;
  bool isBusy() const;

  const Model& model_;
  const SchedulerOptions options_;
  const ComputeThreads threads_;
  llama_context* context_ = nullptr;
  Batch batch_;                               // the thread's own
  std::vector<std::unique_ptr<Slot>> slots_;  // the thread's own
  std::uint64_t turn_ = 0;                    // the thread's own
  std::shared_ptr<Adapter> last_adapter_;     // the thread's own: the model has it on

  Mutex mutex_;
  Condition changed_;
  std::deque<std::unique_ptr<Waiting>> waiting_ SPINDLE_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<Adapter>> adapters_ SPINDLE_GUARDED_BY(mutex_);
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace spindle::engine
