#include "inference/gateway/upstream_health_checker.h"

#include <random>
#include <set>
#include <utility>

#include "base/core/mutex.h"
#include "http/client/client.h"
#include "inference/gateway/balancer.h"

namespace spindle::inference {
namespace {

using std::chrono::milliseconds;

/// Identifies a replica: upstream id and URL.
using ReplicaKey = std::pair<std::string, std::string>;

/// The response body is not used. A longer body is cut, which still counts as a response.
constexpr std::size_t kMostOfAnAnswer = 64UL * 1024;

bool isAlive(const Result<http::Response>& answer) {
  if (!answer) return answer.error().code() == ErrorCode::kTooLarge;
  return answer->status < 500;
}

milliseconds withJitter(milliseconds interval, std::minstd_rand& random) {
  std::uniform_real_distribution<double> factor(0.8, 1.2);
  return std::chrono::duration_cast<milliseconds>(interval * factor(random));
}

}  // namespace

struct UpstreamHealthChecker::Shared {
  explicit Shared(Balancer& told) : balancer(&told) {}

  Mutex mutex;
  Condition stopped;
  bool stopping SPINDLE_GUARDED_BY(mutex) = false;
  Balancer* balancer SPINDLE_GUARDED_BY(mutex);  ///< null after the destructor has started
  std::set<ReplicaKey> in_progress SPINDLE_GUARDED_BY(mutex);
};

/// Calls `done` when the last reference is released.
struct UpstreamHealthChecker::Round {
  explicit Round(std::function<void()> at_end) : done(std::move(at_end)) {}
  ~Round() {
    if (done) done();
  }
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  std::function<void()> done;
};

UpstreamHealthChecker::UpstreamHealthChecker(http::Client& client,
                                             Balancer& balancer,
                                             Targets targets,
                                             HealthOptions options)
    : client_(client),
      targets_(std::move(targets)),
      options_(options),
      shared_(std::make_shared<Shared>(balancer)) {}

UpstreamHealthChecker::~UpstreamHealthChecker() {
  {
    const MutexLock lock(shared_->mutex);
    shared_->stopping = true;
    shared_->balancer = nullptr;
    shared_->stopped.notifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void UpstreamHealthChecker::start() {
  thread_ = std::thread([this] {
    std::minstd_rand random(std::random_device{}());
    while (true) {
      round();
      const auto wake = std::chrono::steady_clock::now() + withJitter(options_.interval, random);
      const MutexLock lock(shared_->mutex);
      while (!shared_->stopping) {
        const auto left = wake - std::chrono::steady_clock::now();
        if (left <= std::chrono::steady_clock::duration::zero()) break;
        shared_->stopped.waitFor(shared_->mutex, left);
      }
      if (shared_->stopping) return;
    }
  });
}

void UpstreamHealthChecker::round(std::function<void()> done) {
  const auto round = std::make_shared<Round>(std::move(done));
  for (const HealthTarget& target : targets_()) {
    if (!target.path.empty()) ask(target, round);
  }
}

void UpstreamHealthChecker::ask(const HealthTarget& target, const std::shared_ptr<Round>& round) {
  ReplicaKey replica_key(target.upstream_id, target.url);
  {
    const MutexLock lock(shared_->mutex);
    if (!shared_->in_progress.insert(replica_key).second) return;
  }
  http::ClientRequest request;
  request.url = target.url + target.path;
  request.timeout = options_.timeout;
  request.response_limit = kMostOfAnAnswer;
  if (!target.key.empty()) {
    request.headers.set("Authorization", "Bearer " + std::string(target.key.reveal()));
  }
  client_.send(std::move(request), [shared = shared_, replica_key = std::move(replica_key),
                                    round](const Result<http::Response>& answer) {
    const MutexLock lock(shared->mutex);
    shared->in_progress.erase(replica_key);
    if (shared->balancer == nullptr) return;
    shared->balancer->probed({replica_key.first, replica_key.second}, isAlive(answer));
  });
}

}  // namespace spindle::inference
