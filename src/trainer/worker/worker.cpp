#include "trainer/worker/worker.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/mutex.h"
#include "json/document.h"
#include "trainer/model/failure.h"
#include "trainer/worker/lease.h"
#include "trainer/worker/log.h"
#include "trainer/worker/request_bodies.h"
#include "trainer/worker/server_client.h"

namespace spindle::trainer {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr int kWaitSeconds = 20;
/// Maximum number of releases of a job because of this trainer's own faults, and the time that
/// other trainers then have to lease it (longer each time).
constexpr int kMostReleases = 2;
constexpr std::chrono::seconds kTimeForOthers{1};
constexpr std::chrono::milliseconds kStopPollInterval{50};
constexpr const char* kResultFiles[] = {"adapter_config.json", "adapter_model.safetensors",
                                        "adapter.gguf"};

/// Extends the lease while the job runs, and detects a cancellation.
class HeartBeat {
 public:
  HeartBeat(ServerClient& server, const Lease& lease)
      : server_(server), lease_(lease), thread_([this] { loop(); }) {}
  ~HeartBeat() {
    {
      const MutexLock lock(mutex_);
      over_ = true;
      changed_.notifyAll();
    }
    thread_.join();
  }
  HeartBeat(const HeartBeat&) = delete;
  HeartBeat& operator=(const HeartBeat&) = delete;

  /// Returns true if the trainer has lost the job or the job was cancelled.
  bool isLost() const { return lost_; }
  void lose() { lost_ = true; }
  void expect(double seconds_left) { seconds_left_ = seconds_left; }

 private:
  void loop() {
    const auto pause = std::chrono::milliseconds(1000 * lease_.seconds / 4);
    while (true) {
      {
        const MutexLock lock(mutex_);
        if (!over_) changed_.waitFor(mutex_, pause);
        if (over_) return;
      }
      beat();
    }
  }

  void beat() {
    const double left = seconds_left_;
    const Result<ServerClient::Response> answer =
        server_.post(lease_.path("/heartbeat"), lease_.token,
                     heartBeatBody(left >= 0 ? std::optional(left) : std::nullopt));
    if (!answer) {
      if (answer.error().code() != ErrorCode::kUnavailable) lost_ = true;
      return;
    }
    const auto parsed = json::Document::parse(answer->body);
    const auto* document = std::get_if<json::Document>(&parsed);
    const std::optional<json::Node> cancel = document != nullptr && document->root().isObject()
                                                 ? document->root().find("cancel")
                                                 : std::nullopt;
    if (cancel && cancel->boolean()) lost_ = true;
  }

  ServerClient& server_;
  const Lease& lease_;
  std::atomic<bool> lost_{false};
  std::atomic<double> seconds_left_{-1};
  Mutex mutex_;
  Condition changed_;
  bool over_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

/// Reports the events of a job to the server. Event 1 is the start; event k + 1 is step k.
class EventReporter final : public JobEvents {
 public:
  EventReporter(ServerClient& server,
                const Lease& lease,
                const std::string& state_file,
                HeartBeat& heart,
                const std::atomic<bool>& stopping)
      : server_(server),
        lease_(lease),
        state_file_(state_file),
        heart_(heart),
        stopping_(stopping) {}

  void onStart(std::uint64_t steps, const std::string& note) override {
    steps_ = steps;
    began_ = steady_clock::now();
    if (isNew(1)) report(startBody(steps, note));
  }

  void onStep(std::uint64_t step, const Metrics& metrics) override {
    if (isNew(step + 1)) report(stepBody(step + 1, metrics));
    ++done_;
    const std::chrono::duration<double> spent = steady_clock::now() - began_;
    const double left = steps_ > step ? static_cast<double>(steps_ - step) : 0;
    heart_.expect(spent.count() / static_cast<double>(done_) * left);
  }

  void onState(std::uint64_t step) override {
    if (heart_.isLost()) return;
    const std::string place = "/state?sequence=" + std::to_string(step + 1);
    const Result<void> kept = server_.put(lease_.path(place), lease_.token, state_file_);
    if (!kept && isTrainersFault(kept.error())) {
      fault_ = kept.error();
    } else if (!kept) {
      lose(kept.error());
    }
  }

  /// Returns the reason for the stop if the server does not know it.
  const std::optional<Error>& fault() const { return fault_; }

  Action action() override {
    if (heart_.isLost() || fault_) return Action::kStop;
    return stopping_ ? Action::kPause : Action::kContinue;
  }

 private:
  /// Returns true if the server has to be told about the event with this number.
  bool isNew(std::uint64_t number) const {
    return number > lease_.last_sequence && !heart_.isLost();
  }

  void report(std::string body) {
    const Result<ServerClient::Response> answer =
        server_.post(lease_.path("/events"), lease_.token, std::move(body));
    if (!answer) lose(answer.error());
  }

  void lose(const Error& error) {
    if (stopping_) return;
    kLog.warning("job_lost", {{"job", lease_.job_id}, {"reason", error.message()}});
    heart_.lose();
  }

  ServerClient& server_;
  const Lease& lease_;
  const std::string& state_file_;
  HeartBeat& heart_;
  const std::atomic<bool>& stopping_;
  std::optional<Error> fault_;
  std::uint64_t steps_ = 0;
  std::uint64_t done_ = 0;
  steady_clock::time_point began_ = steady_clock::now();
};

/// Executes one job from its lease to its end.
class LeasedJob {
 public:
  LeasedJob(ServerClient& server,
            const WorkerOptions& options,
            JobRunner& runner,
            const std::atomic<bool>& stopping,
            bool may_release,
            Lease lease)
      : server_(server),
        options_(options),
        runner_(runner),
        stopping_(stopping),
        may_release_(may_release),
        lease_(std::move(lease)),
        folder_(fs::path(options.folder) / "jobs" / lease_.job_id) {}
  ~LeasedJob() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  LeasedJob(const LeasedJob&) = delete;
  LeasedJob& operator=(const LeasedJob&) = delete;

  /// @return true if the job was released because of a fault of this trainer
  bool run() {
    HeartBeat heart(server_, lease_);
    JobSpec spec;
    Result<void> ready = prepare(spec);
    if (!ready) return failOrRelease(ready.error(), heart);
    EventReporter events(server_, lease_, spec.state, heart, stopping_);
    const Result<JobResult> result = runner_.run(spec, events);
    if (heart.isLost()) return false;
    if (events.fault()) return failOrRelease(*events.fault(), heart);
    if (!result) return failOrRelease(result.error(), heart);
    const Result<void> uploaded = uploadResult(*result, spec.out);
    return !uploaded && failOrRelease(uploaded.error(), heart);
  }

 private:
  Result<void> prepare(JobSpec& spec) {
    std::error_code problem;
    fs::remove_all(folder_, problem);
    for (const char* name : {"adapter", "reference", "out"}) {
      fs::create_directories(folder_ / name, problem);
      if (problem) {
        return Error::unavailable("Cannot write to the trainer's folder: " + problem.message())
            .because(kTrainerAtFault);
      }
    }
    spec.kind = lease_.kind;
    spec.base_model = lease_.base_model;
    spec.config = lease_.config;
    spec.out = (folder_ / "out").string();
    spec.state = (folder_ / "state").string();
    spec.seconds_between_states = options_.seconds_between_states;
    spec.reward_history = lease_.reward_history;
    spec.data = (folder_ / "data.jsonl").string();
    std::string base = TRY(baseFile());
    spec.base = std::move(base);
    Result<void> done = server_.get(lease_.path("/data"), lease_.token, spec.data);
    if (!done && done.error().code() == ErrorCode::kNotFound) {
      return Error::notFound("The server has lost the training data (" + done.error().message() +
                             "): upload it again under a new name, and start a new job.");
    }
    if (done && lease_.has_state) {
      done = server_.get(lease_.path("/state"), lease_.token, spec.state);
    }
    if (done) done = fetchAll("adapter", lease_.adapter_files, spec.adapter);
    if (done) done = fetchAll("reference", lease_.reference_files, spec.reference);
    if (!done && done.error().code() == ErrorCode::kNotFound) {
      return Error::notFound("The server has lost an adapter that the job needs (" +
                             done.error().message() +
                             "): start it again, with another KL reference if it names one.");
    }
    return done;
  }

  Result<void> fetchAll(const char* place, const std::vector<std::string>& names, std::string& to) {
    if (names.empty()) return {};
    to = (folder_ / place).string();
    for (const std::string& name : names) {
      const std::string path = lease_.path(std::string("/") + place + "/" + name);
      TRY(server_.get(path, lease_.token, (folder_ / place / name).string()));
    }
    return {};
  }

  /// Opens the file, because access() ignores the sandbox.
  static bool canRead(const std::string& path) {
    return std::ifstream(path, std::ios::binary).good();
  }

  /// Returns the base model's file: on the server's own host the original, otherwise a copy that is
  /// downloaded once.
  Result<std::string> baseFile() const {
    std::error_code missing;
    const bool is_here = !lease_.base_file.empty() &&
                         fs::file_size(lease_.base_file, missing) == lease_.base_size && !missing &&
                         canRead(lease_.base_file);
    if (is_here) return lease_.base_file;
    std::string name;
    for (const char c : lease_.base_model) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      name += plain ? c : '_';
    }
    const fs::path bases = fs::path(options_.folder) / "bases";
    const fs::path file = bases / (name + "-" + std::to_string(lease_.base_revision) + ".gguf");
    if (fs::file_size(file, missing) == lease_.base_size && !missing) return file.string();
    fs::create_directories(bases, missing);
    TRY(server_.get(lease_.path("/base"), lease_.token, file.string()));
    return file.string();
  }

  Result<void> uploadResult(const JobResult& result, const std::string& out) {
    for (const char* name : kResultFiles) {
      const fs::path file = fs::path(out) / name;
      if (result.unchanged || !fs::exists(file)) continue;
      TRY(server_.put(lease_.path(std::string("/files/") + name), lease_.token, file.string()));
    }
    TRY(server_.post(lease_.path("/complete"), lease_.token, resultBody(result)));
    kLog.info("job_completed", {{"job", lease_.job_id}});
    return {};
  }

  /// Fails the job with a message for the user, or releases it if the trainer stops or is at fault.
  /// @return true if the trainer is at fault
  bool failOrRelease(const Error& error, const HeartBeat& heart) {
    if (heart.isLost()) return false;
    const bool cannot = isTrainersFault(error) && may_release_;
    if (stopping_ || cannot) {
      if (!stopping_) {
        kLog.warning("job_given_back", {{"job", lease_.job_id}, {"reason", error.message()}});
      }
      (void)server_.post(lease_.path("/release"), lease_.token, "{}");
      return cannot;
    }
    kLog.warning("job_failed", {{"job", lease_.job_id}, {"reason", error.message()}});
    (void)server_.post(lease_.path("/fail"), lease_.token, failureBody(messageOf(error)));
    return false;
  }

  /// Returns the message for the user, without local paths.
  std::string messageOf(const Error& error) const {
    std::string message = error.message();
    const auto replace = [&message](const std::string& path, std::string_view with) {
      std::size_t at = 0;
      while ((at = message.find(path, at)) != std::string::npos) {
        message.replace(at, path.size(), with);
        at += with.size();
      }
    };
    for (const std::string& path : {folder_.string(), options_.folder}) {
      replace(path + "/", "");
      replace(path, "the trainer's folder");
    }
    if (!isTrainersFault(error)) return message;
    return "The trainer " + options_.name + " failed, not the job: " + message +
           (message.ends_with('.') ? "" : ".") + " Check its folder, disk and device, then start " +
           "the job again.";
  }

  ServerClient& server_;
  const WorkerOptions& options_;
  JobRunner& runner_;
  const std::atomic<bool>& stopping_;
  const bool may_release_;
  const Lease lease_;
  const fs::path folder_;
};

}  // namespace

Worker::Worker(http::Client& client,
               const WorkerOptions& options,
               JobRunner& runner,
               const std::atomic<bool>& stopping)
    : client_(client), options_(options), runner_(runner), stopping_(stopping) {}

void Worker::waitForOthers(std::chrono::seconds time) const {
  const steady_clock::time_point until = steady_clock::now() + time;
  while (!stopping_ && steady_clock::now() < until) std::this_thread::sleep_for(kStopPollInterval);
}

Result<void> Worker::run() {
  // Files of an earlier process are useless: the server has everything that matters.
  std::error_code ignored;
  fs::remove_all(fs::path(options_.folder) / "jobs", ignored);
  ServerClient server(client_, options_.server, options_.key, [this] { return !stopping_; });
  const std::string ask = leaseBody(options_.name, kWaitSeconds, options_.device);
  const std::string brief = leaseBody(options_.name, 0, options_.device);
  kLog.info("asks_for_jobs",
            {{"server", options_.server}, {"worker", options_.name}, {"folder", options_.folder}});
  std::map<std::string, int> releases;
  steady_clock::time_point last_job = steady_clock::now();
  while (!stopping_) {
    const Result<ServerClient::Response> answer = server.wait("/api/v1/trainer/lease", ask, brief);
    if (!answer && stopping_) break;
    if (!answer && answer.error().code() == ErrorCode::kNotFound) {
      return Error::notFound("The server at " + options_.server +
                             " has no trainer API: is it the address of a Spindle server, as in "
                             "http://localhost:8080 (with its server.base_path, if it has one)?");
    }
    if (!answer) return answer.error();
    if (answer->status == 204) {
      const std::chrono::duration<double> idle = steady_clock::now() - last_job;
      if (options_.idle_exit > 0 && idle.count() >= options_.idle_exit) break;
      continue;
    }
    Lease lease = TRY(leaseOf(answer->body));
    kLog.info("job_leased", {{"job", lease.job_id}, {"model", lease.base_model}});
    const std::string id = lease.job_id;
    const bool may_release = releases[id] < kMostReleases;
    if (LeasedJob(server, options_, runner_, stopping_, may_release, std::move(lease)).run()) {
      waitForOthers(++releases[id] * kTimeForOthers);
    } else {
      releases.erase(id);
    }
    last_job = steady_clock::now();
  }
  return {};
}

}  // namespace spindle::trainer
