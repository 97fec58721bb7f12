#include "inference/upstream_adapters/upstream_adapter_loader.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/core/mutex.h"
#include "inference/engines/engine_errors.h"
#include "inference/engines/loaded_adapters.h"
#include "inference/upstream_adapters/log.h"
#include "inference/upstream_adapters/vllm_adapter_client.h"

namespace spindle::inference {
namespace {

using std::chrono::steady_clock;

/// The number of remembered failures above which expired ones are removed.
constexpr std::size_t kManyFailures = 256;

Error laterUnavailable(std::string_view message, std::chrono::milliseconds pause) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(pause).count();
  return Error::unavailable(message).with("retry_after_seconds", std::to_string(seconds));
}

}  // namespace

/// The state behind the loader. Callbacks of waiting requests run without the lock.
class UpstreamAdapterLoader::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(PeftFolder& folder, MetricRegistry& metrics, Options options)
      : folder_(folder),
        options_(options),
        loads_(metrics.counter("spindle_inference_upstream_adapter_loads_total",
                               "Adapters that were loaded into upstreams.")),
        failures_(metrics.counter("spindle_inference_upstream_adapter_failures_total",
                                  "Adapters that could not be loaded into an upstream.")),
        client_(std::make_unique<VllmAdapterClient>()) {}

  void start() {
    for (std::size_t i = 0; i < options_.threads; ++i) {
      threads_.emplace_back([this] { work(); });
    }
  }

  void stop() {
    Calls calls;
    {
      const MutexLock lock(mutex_);
      if (stopping_) return;
      stopping_ = true;
      for (const auto& [id, replica] : replicas_) rejectAll(*replica, calls);
      // The configuration of their upstream may have changed meanwhile.
      for (const Loading& loading : loading_) rejectAll(*loading.replica, calls);
      changed_.notifyAll();
    }
    run(calls);
    for (std::thread& thread : threads_) thread.join();
    client_.reset();
  }

  void acquire(std::shared_ptr<const ReachableUpstream> upstream,
               std::shared_ptr<const PeftAdapter> adapter,
               Ready ready) {
    Calls calls;
    {
      const MutexLock lock(mutex_);
      Waiting waiting{std::move(adapter), std::move(ready)};
      const ReplicaPtr& replica = replicaOf(std::move(upstream));
      if (std::optional<Error> error = refusal(*replica, waiting.adapter->name)) {
        reject(waiting, *std::move(error), calls);
      } else {
        replica->waiting.push_back(std::move(waiting));
        if (replica->listing == Listing::kNone) startListing(replica);
        advance(replica, calls);
      }
    }
    run(calls);
  }

  std::vector<LoadedUpstreamAdapter> loaded(std::string_view upstream_id) const {
    std::vector<LoadedUpstreamAdapter> all;
    const MutexLock lock(mutex_);
    const auto replica = replicas_.find(upstream_id);
    if (replica == replicas_.end()) return all;
    for (const std::string& name : replica->second->adapters.names()) {
      LoadedUpstreamAdapter& one = all.emplace_back();
      one.name = name;
      const auto known = replica->second->loaded.find(name);
      if (known == replica->second->loaded.end()) continue;
      one.artifact = known->second.artifact;
      one.requests = known->second.leases;
    }
    return all;
  }

 private:
  /// Callbacks to run without the lock.
  using Calls = std::vector<std::function<void()>>;

  struct Waiting {
    std::shared_ptr<const PeftAdapter> adapter;
    Ready ready;
  };
  struct Failure {
    Error error;
    steady_clock::time_point until;
  };
  struct Loaded {
    std::shared_ptr<const StagedAdapter> files;  ///< vLLM may read them again at any time
    std::string artifact;
    std::uint64_t generation = 0;  ///< distinguishes the loadings of one adapter
    std::size_t leases = 0;
  };
  enum class Listing { kNone, kRunning, kDone };

  /// The adapters of one upstream with one configuration.
  struct Replica {
    explicit Replica(std::shared_ptr<const ReachableUpstream> reachable)
        : upstream(std::move(reachable)),
          adapters(static_cast<std::size_t>(upstream->upstream.adapters.most)) {}

    const std::shared_ptr<const ReachableUpstream> upstream;
    LoadedAdapters adapters;
    Listing listing = Listing::kNone;
    std::set<std::string> adopted;  ///< adapters that an earlier server loaded
    std::map<std::string, Loaded> loaded;
    std::map<std::string, Failure> failures;
    std::list<Waiting> waiting;
  };
  using ReplicaPtr = std::shared_ptr<Replica>;

  struct Loading {
    ReplicaPtr replica;
    std::shared_ptr<const PeftAdapter> adapter;
  };

  class Lease final : public UpstreamAdapterLease {
   public:
    Lease(std::shared_ptr<Core> core,
          ReplicaPtr replica,
          std::string name,
          std::uint64_t generation)
        : core_(std::move(core)),
          replica_(std::move(replica)),
          name_(std::move(name)),
          generation_(generation) {}
    ~Lease() override { core_->release(*replica_, name_, generation_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    const std::string& model() const override { return name_; }
    void lost() override { core_->forget(replica_, name_, generation_); }

   private:
    const std::shared_ptr<Core> core_;
    const ReplicaPtr replica_;
    const std::string name_;
    const std::uint64_t generation_;
  };

  static void run(const Calls& calls) {
    for (const auto& call : calls) call();
  }

  static void reject(Waiting& waiting, Error error, Calls& calls) {
    calls.emplace_back(
        [ready = std::move(waiting.ready), error = std::move(error)] { ready(error); });
  }

  void rejectAll(Replica& replica, Calls& calls) SPINDLE_REQUIRES(mutex_) {
    for (Waiting& waiting : replica.waiting) reject(waiting, serverStopping(), calls);
    replica.waiting.clear();
  }

  /// A changed upstream starts anew: its URL, key or limit may be another.
  const ReplicaPtr& replicaOf(std::shared_ptr<const ReachableUpstream> upstream)
      SPINDLE_REQUIRES(mutex_) {
    ReplicaPtr& replica = replicas_[upstream->upstream.id];
    if (!replica || replica->upstream->upstream.version != upstream->upstream.version) {
      replica = std::make_shared<Replica>(std::move(upstream));
    }
    return replica;
  }

  std::optional<Error> refusal(Replica& replica, const std::string& name) SPINDLE_REQUIRES(mutex_) {
    if (stopping_) return serverStopping();
    if (replica.waiting.size() >= options_.most_waiting) {
      return laterUnavailable("Too many requests wait for adapters of the upstream.",
                              std::chrono::seconds(1));
    }
    const auto failure = replica.failures.find(name);
    if (failure == replica.failures.end()) return std::nullopt;
    if (failure->second.until > steady_clock::now()) return failure->second.error;
    replica.failures.erase(failure);
    return std::nullopt;
  }

  void startListing(const ReplicaPtr& replica) SPINDLE_REQUIRES(mutex_) {
    replica->listing = Listing::kRunning;
    client_->list(*replica->upstream,
                  [self = shared_from_this(), replica](const std::vector<std::string>& names) {
                    Calls calls;
                    {
                      const MutexLock lock(self->mutex_);
                      replica->listing = Listing::kDone;
                      self->adopt(*replica, names);
                      self->advance(replica, calls);
                    }
                    run(calls);
                  });
  }

  void adopt(Replica& replica, const std::vector<std::string>& names) SPINDLE_REQUIRES(mutex_) {
    for (const std::string& name : names) {
      const bool has_room = replica.adopted.size() <
                            static_cast<std::size_t>(replica.upstream->upstream.adapters.most);
      if (stopping_) return;
      if (!has_room) {
        client_->unload(*replica.upstream, name, [] {});
        continue;
      }
      if (!replica.adopted.insert(name).second) continue;
      replica.adapters.nextAction(name, {});
      replica.adapters.loaded(name);
    }
  }

  /// Starts what the waiting requests need and ends those that can end.
  void advance(const ReplicaPtr& replica, Calls& calls) SPINDLE_REQUIRES(mutex_) {
    if (stopping_ || replica->listing != Listing::kDone) return;
    const steady_clock::time_point now = steady_clock::now();
    for (auto each = replica->waiting.begin(); each != replica->waiting.end();) {
      const std::string& name = each->adapter->name;
      // The files of an adopted adapter may be gone: load it again, which is a success.
      if (replica->adopted.erase(name) > 0) replica->adapters.removed(name);
      const LoadedAdapters::Decision decision = replica->adapters.nextAction(name, now);
      bool ended = true;
      switch (decision.next) {
        case LoadedAdapters::Action::kReady:
          grant(replica, *each, calls);
          break;
        case LoadedAdapters::Action::kFull:
          reject(*each,
                 adaptersInUse(replica->upstream->upstream.name, replica->adapters.names().size()),
                 calls);
          break;
        case LoadedAdapters::Action::kLoad:
          loading_.push_back({replica, each->adapter});
          changed_.notifyOne();
          ended = false;
          break;
        case LoadedAdapters::Action::kDrop:
          startUnloading(replica, decision.drop);
          ended = false;
          break;
        case LoadedAdapters::Action::kWait:
          ended = false;
          break;
      }
      each = ended ? replica->waiting.erase(each) : std::next(each);
    }
  }

  void grant(const ReplicaPtr& replica, Waiting& waiting, Calls& calls) SPINDLE_REQUIRES(mutex_) {
    const std::string& name = waiting.adapter->name;
    replica->adapters.take(name, steady_clock::now());
    Loaded& loaded = replica->loaded[name];
    ++loaded.leases;
    std::shared_ptr<UpstreamAdapterLease> lease =
        std::make_shared<Lease>(shared_from_this(), replica, name, loaded.generation);
    // Moved: a copy would keep the adapter in use after the request.
    calls.emplace_back([ready = std::move(waiting.ready), lease = std::move(lease)]() mutable {
      ready(std::move(lease));
    });
  }

  void startUnloading(const ReplicaPtr& replica, const std::string& name) SPINDLE_REQUIRES(mutex_) {
    replica->adopted.erase(name);
    client_->unload(*replica->upstream, name, [self = shared_from_this(), replica, name] {
      Calls calls;
      {
        const MutexLock lock(self->mutex_);
        replica->adapters.removed(name);
        replica->loaded.erase(name);
        self->advance(replica, calls);
      }
      kLog.info("upstream_adapter_unloaded",
                {{"upstream", replica->upstream->upstream.name}, {"adapter", name}});
      run(calls);
    });
  }

  /// Brings the files of adapters to disk, one after the other, until stop().
  void work() {
    while (true) {
      Loading next;
      {
        const MutexLock lock(mutex_);
        while (!stopping_ && loading_.empty()) changed_.wait(mutex_);
        if (stopping_) return;
        next = std::move(loading_.front());
        loading_.pop_front();
      }
      Result<std::shared_ptr<const StagedAdapter>> staged = folder_.stage(*next.adapter);
      if (!staged) {
        endLoading(next, {}, std::move(staged).error());
        continue;
      }
      const MutexLock lock(mutex_);
      if (!stopping_) transfer(next, *std::move(staged));
    }
  }

  void transfer(const Loading& loading, const std::shared_ptr<const StagedAdapter>& files)
      SPINDLE_REQUIRES(mutex_) {
    if (loading.replica->upstream->upstream.adapters.receiver.empty()) return load(loading, files);
    client_->transfer(loading.replica->upstream, files,
                      [self = shared_from_this(), loading, files](Result<void> done) {
                        if (!done) return self->endLoading(loading, files, std::move(done));
                        const MutexLock lock(self->mutex_);
                        if (!self->stopping_) self->load(loading, files);
                      });
  }

  void load(const Loading& loading, const std::shared_ptr<const StagedAdapter>& files)
      SPINDLE_REQUIRES(mutex_) {
    const ReachableUpstream& upstream = *loading.replica->upstream;
    const std::string& folder = upstream.upstream.adapters.path;
    const std::string& name = loading.adapter->name;
    client_->load(upstream, name, folder.empty() ? files->path : folder + "/" + name,
                  [self = shared_from_this(), loading, files](Result<void> done) {
                    self->endLoading(loading, files, std::move(done));
                  });
  }

  void endLoading(const Loading& loading,
                  std::shared_ptr<const StagedAdapter> files,
                  Result<void> done) {
    Replica& replica = *loading.replica;
    const std::string& name = loading.adapter->name;
    Calls calls;
    {
      const MutexLock lock(mutex_);
      if (done) {
        replica.adapters.loaded(name);
        replica.loaded[name] = {std::move(files), loading.adapter->artifact, ++generations_, 0};
      } else {
        replica.adapters.removed(name);
        remember(replica, name, done.error(), calls);
      }
      advance(loading.replica, calls);
    }
    (done ? loads_ : failures_).add();
    if (done) {
      kLog.info("upstream_adapter_loaded", {{"upstream", replica.upstream->upstream.name},
                                            {"adapter", name},
                                            {"artifact", loading.adapter->artifact}});
    }
    run(calls);
  }

  /// Remembers a failure and rejects the requests that wait for the adapter.
  void remember(Replica& replica, const std::string& name, const Error& cause, Calls& calls)
      SPINDLE_REQUIRES(mutex_) {
    const steady_clock::time_point now = steady_clock::now();
    if (replica.failures.size() >= kManyFailures) {
      std::erase_if(replica.failures, [now](const auto& one) { return one.second.until <= now; });
    }
    Error error = cause.code() == ErrorCode::kUnavailable
                      ? laterUnavailable(cause.message(), options_.failure_pause)
                      : cause;
    for (auto each = replica.waiting.begin(); each != replica.waiting.end();) {
      if (each->adapter->name != name) {
        ++each;
        continue;
      }
      reject(*each, error, calls);
      each = replica.waiting.erase(each);
    }
    if (replica.failures.size() >= options_.most_waiting) return;
    replica.failures.insert_or_assign(name,
                                      Failure{std::move(error), now + options_.failure_pause});
  }

  void release(Replica& replica, const std::string& name, std::uint64_t generation) {
    const MutexLock lock(mutex_);
    const auto loaded = replica.loaded.find(name);
    if (loaded == replica.loaded.end() || loaded->second.generation != generation) return;
    --loaded->second.leases;
    replica.adapters.release(name, steady_clock::now());
  }

  void forget(const ReplicaPtr& replica, const std::string& name, std::uint64_t generation) {
    Calls calls;
    {
      const MutexLock lock(mutex_);
      const auto loaded = replica->loaded.find(name);
      if (loaded == replica->loaded.end() || loaded->second.generation != generation) return;
      replica->loaded.erase(loaded);
      replica->adapters.removed(name);
      advance(replica, calls);
    }
    run(calls);
  }

  PeftFolder& folder_;
  const Options options_;
  Counter& loads_;
  Counter& failures_;
  /// Used only while `stopping_` is false; stop() destroys it.
  std::unique_ptr<VllmAdapterClient> client_;
  std::vector<std::thread> threads_;

  mutable Mutex mutex_;
  Condition changed_;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::map<std::string, ReplicaPtr, std::less<>> replicas_ SPINDLE_GUARDED_BY(mutex_);
  std::deque<Loading> loading_ SPINDLE_GUARDED_BY(mutex_);
  std::uint64_t generations_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

UpstreamAdapterLoader::UpstreamAdapterLoader(PeftFolder& folder,
                                             MetricRegistry& metrics,
                                             Options options)
    : core_(std::make_shared<Core>(folder, metrics, options)) {
  core_->start();
}

UpstreamAdapterLoader::~UpstreamAdapterLoader() { stop(); }

void UpstreamAdapterLoader::stop() { core_->stop(); }

void UpstreamAdapterLoader::acquire(std::shared_ptr<const ReachableUpstream> upstream,
                                    std::shared_ptr<const PeftAdapter> adapter,
                                    Ready ready) {
  core_->acquire(std::move(upstream), std::move(adapter), std::move(ready));
}

std::vector<LoadedUpstreamAdapter> UpstreamAdapterLoader::loaded(
    std::string_view upstream_id) const {
  return core_->loaded(upstream_id);
}

}  // namespace spindle::inference
