#include "inference/usage/recorder.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "inference/usage/log.h"
#include "inference/usage/usage_codec.h"
#include "inference/usage/usage_journal.h"

namespace spindle::inference {
namespace {

constexpr std::size_t kBatch = 2'000;
/// How long the first record of a batch waits for more. Every write costs a sync and some CPU time
/// on all cores, however small it is.
constexpr std::chrono::milliseconds kGather{1000};
constexpr std::chrono::milliseconds kPause{250};
constexpr int kTraceAttempts = 3;
/// A write into the page cache that takes longer was delayed: the disk cannot keep up.
constexpr std::chrono::milliseconds kSlowWrite{2};
/// The journal thread then writes for this many times the delay: delayed writes take at most 1 % of
/// the time of the threads that record.
constexpr int kSlowDiskPause = 100;

}  // namespace

Recorder::Recorder(UsageSink& usage,
                   Trace trace,
                   std::unique_ptr<UsageJournal> journal,
                   MetricRegistry& metrics,
                   const RecorderLimits& limits)
    : usage_(usage),
      trace_(std::move(trace)),
      journal_(std::move(journal)),
      limits_(limits),
      traces_lost_(metrics.counter("spindle_inference_traces_lost_total",
                                   "Completions that could not be written as calls.")),
      unjournalled_(metrics.counter("spindle_inference_usage_unjournalled_total",
                                    "Completions that ended before their usage was journalled, "
                                    "because the disk failed.")),
      queued_(metrics.gauge("spindle_inference_recorder_queued",
                            "Finished completions that wait to be stored.")),
      sync_seconds_(metrics.histogram("spindle_inference_usage_sync_seconds",
                                      "Time to write and sync one group of usage records.")) {
  if (journal_) {
    const MutexLock lock(mutex_);
    for (UsageJournal::Group& group : journal_->recovered()) {
      for (UsageRecord& record : group.records) {
        FinishedCompletion completion;
        completion.usage = std::move(record);
        pending_bytes_ += sizeOf(completion);
        queue_.push_back({std::move(completion), group.number});
      }
    }
    pending_ = queue_.size();
    recorded_ = queue_.size();
  }
  journal_thread_ = std::thread([this] { journalLoop(); });
  store_thread_ = std::thread([this] { storeLoop(); });
}

Recorder::~Recorder() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    arrived_changed_.notifyAll();
    changed_.notifyAll();
  }
  journal_thread_.join();
  store_thread_.join();
}

std::size_t Recorder::sizeOf(const FinishedCompletion& finished) {
  constexpr std::size_t kUsage = 512;
  if (!finished.trace) return kUsage;
  return kUsage + finished.trace->request.size() + finished.trace->answer.size();
}

Result<void> Recorder::admit() const {
  const MutexLock lock(mutex_);
  if (journal_failing_) {
    return Error::unavailable(
        "Usage cannot be recorded: the server's disk is full or fails. Try again later.");
  }
  const bool full = pending_bytes_ >= limits_.bytes && !limits_.drops_traces;
  if (pending_ >= limits_.records || full) {
    return Error::unavailable("The server is overloaded, try again later.");
  }
  return {};
}

void Recorder::record(FinishedCompletion finished, Release release) {
  Release at_once;  // `release`, if the usage is already in the journal
  bool first = false;
  {
    const MutexLock lock(mutex_);
    if (finished.trace && limits_.drops_traces &&
        pending_bytes_ + sizeOf(finished) > limits_.bytes) {
      finished.trace.reset();
      traces_lost_.add();
    }
    ++pending_;
    pending_bytes_ += sizeOf(finished);
    ++recorded_;
    if (const std::optional<std::uint64_t> group = journalNow(finished.usage)) {
      enqueue(std::move(finished), *group);
      at_once = std::move(release);
    } else {
      arrived_.push_back({std::move(finished), std::move(release)});
      first = arrived_.size() == 1;
    }
  }
  if (at_once) at_once();
  // A thread that is already working finds the record without a notification. Notify without the
  // lock: the response waits for the thread, which would wake only to wait for the lock.
  if (first) arrived_changed_.notifyOne();
}

std::optional<std::uint64_t> Recorder::journalNow(const UsageRecord& usage) {
  // Groups are queued in the order of their numbers: storeRecords() reports the last one as stored.
  if (!journal_ || journalling_ || !arrived_.empty()) return std::nullopt;
  const auto began = std::chrono::steady_clock::now();
  if (began < disk_is_slow_until_) return std::nullopt;
  std::string encoded;
  encodeUsage(usage, encoded);
  const std::optional<std::uint64_t> group = journal_->tryAppend(encoded);
  if (!group) return std::nullopt;
  const auto took = std::chrono::steady_clock::now() - began;
  sync_seconds_.observe(std::chrono::duration<double>(took).count());
  if (took > kSlowWrite) disk_is_slow_until_ = began + kSlowDiskPause * took;
  return group;
}

void Recorder::enqueue(FinishedCompletion completion, std::uint64_t group) {
  if (queue_.empty()) oldest_ = std::chrono::steady_clock::now();
  queue_.push_back({std::move(completion), group});
  const bool batch_is_full = queue_.size() == kBatch;
  if (queue_.size() == 1 || batch_is_full || flushing_ > 0) changed_.notifyAll();
}

Result<void> Recorder::flush() {
  const MutexLock lock(mutex_);
  const std::uint64_t wanted = recorded_;
  ++flushing_;
  changed_.notifyAll();
  while (written_ < wanted && !failing_ && !stopping_) changed_.wait(mutex_);
  --flushing_;
  if (written_ < wanted) {
    return Error::unavailable("Usage cannot be stored at the moment, try again later.");
  }
  return {};
}

void Recorder::journalLoop() {
  while (true) {
    std::deque<Arrived> taken;
    {
      const MutexLock lock(mutex_);
      journalling_ = false;
      while (arrived_.empty() && !stopping_) arrived_changed_.wait(mutex_);
      if (arrived_.empty()) {
        journal_ended_ = true;
        changed_.notifyAll();
        return;
      }
      taken.swap(arrived_);
      journalling_ = true;
    }
    commit(std::move(taken));
  }
}

/// Journals the arrived records in groups of bounded size, and releases the responses of each
/// group.
void Recorder::commit(std::deque<Arrived> arrived) {
  while (!arrived.empty()) {
    std::string encoded;
    std::deque<Arrived> group;
    while (!arrived.empty() &&
           encoded.size() + kMostUsageRecordBytes <= UsageJournal::kMostGroupBytes) {
      if (journal_) encodeUsage(arrived.front().completion.usage, encoded);
      group.push_back(std::move(arrived.front()));
      arrived.pop_front();
    }
    std::uint64_t number = 0;
    std::optional<Error> failure;
    if (journal_) {
      const auto began = std::chrono::steady_clock::now();
      const Result<std::uint64_t> appended = journal_->append(encoded);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
      sync_seconds_.observe(took.count());
      if (appended) {
        number = *appended;
      } else {
        failure = appended.error();
        unjournalled_.add(group.size());
      }
    }
    for (const Arrived& one : group) {
      if (one.release) one.release();
    }
    const MutexLock lock(mutex_);
    if (failure && !journal_failing_) {
      kLog.error("usage_not_journalled", {{"reason", failure->message()}});
    }
    journal_failing_ = journal_failing_ || failure.has_value();
    for (Arrived& one : group) enqueue(std::move(one.completion), number);
  }
}

bool Recorder::await() {
  while (true) {
    while (queue_.empty() && !(stopping_ && journal_ended_)) changed_.wait(mutex_);
    if (queue_.empty()) return false;
    const auto left = oldest_ + kGather - std::chrono::steady_clock::now();
    const bool due = flushing_ > 0 || stopping_ || queue_.size() >= kBatch || left.count() <= 0;
    if (due) return true;
    changed_.waitFor(mutex_, left);
  }
}

void Recorder::storeLoop() {
  while (true) {
    // Take the whole queue at once, because the journal thread waits for the lock.
    std::deque<Queued> taken;
    {
      const MutexLock lock(mutex_);
      if (!await()) return;
      taken.swap(queue_);
    }
    storeRecords(std::move(taken));
    const MutexLock lock(mutex_);
    if (failing_ && stopping_) return;
  }
}

void Recorder::storeRecords(std::deque<Queued> taken) {
  while (!taken.empty()) {
    std::vector<UsageRecord> usage;
    std::vector<TracedCompletion> traces;
    std::size_t bytes = 0;
    std::uint64_t last_group = 0;
    while (!taken.empty() && usage.size() < kBatch) {
      Queued& next = taken.front();
      bytes += sizeOf(next.completion);
      last_group = std::max(last_group, next.group);
      usage.push_back(std::move(next.completion.usage));
      if (next.completion.trace) traces.push_back(*std::move(next.completion.trace));
      taken.pop_front();
    }
    // A group that continues in the next batch is not stored yet.
    if (!taken.empty() && taken.front().group == last_group && last_group > 0) --last_group;
    queued_.set(static_cast<std::int64_t>(taken.size()));
    while (!writeUsage(usage)) {
      const MutexLock lock(mutex_);
      failing_ = true;
      changed_.notifyAll();
      if (stopping_) return;
      changed_.waitFor(mutex_, kPause);
    }
    if (journal_ && last_group > 0) journal_->stored(last_group);
    if (!traces.empty()) writeTraces(traces);
    const MutexLock lock(mutex_);
    failing_ = false;
    written_ += usage.size();
    pending_ -= usage.size();
    pending_bytes_ -= bytes;
    // Everything is stored, so no usage is only in memory.
    if (pending_ == 0) journal_failing_ = false;
    changed_.notifyAll();
  }
}

bool Recorder::writeUsage(const std::vector<UsageRecord>& records) {
  const Result<void> written = usage_.write(records);
  if (!written) kLog.warning("usage_not_written", {{"reason", written.error().message()}});
  return written.has_value();
}

void Recorder::writeTraces(const std::vector<TracedCompletion>& traces) {
  for (int attempt = 1; attempt <= kTraceAttempts; ++attempt) {
    const Result<void> written = trace_(traces);
    if (written) return;
    kLog.warning("completions_not_traced", {{"reason", written.error().message()}});
  }
  traces_lost_.add(traces.size());
}

}  // namespace spindle::inference
