#include "inference/engines/engine_supervisor.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/core/log.h"
#include "base/crypto/crypto.h"
#include "inference/engines/engine_client.h"
#include "inference/model_files/model_file.h"

namespace spindle::inference {
namespace {

constexpr Logger kLog("inference");
constexpr std::chrono::seconds kCatalogueInterval{1};
/// The exit code that shells use for a program that cannot be started.
constexpr int kNotStarted = 127;
/// The prefix of an engine's error messages.
constexpr std::string_view kProgram = "spindle-engine: ";

double randomShare() {
  std::uint32_t number = 0;
  randomBytes(&number, sizeof number);
  return static_cast<double>(number) / 4294967296.0;
}

ChildExit withoutProgram(ChildExit exit) {
  if (exit.last_words.starts_with(kProgram)) exit.last_words.erase(0, kProgram.size());
  return exit;
}

}  // namespace

/// The fleet, its lock and its queue of tasks. Leases share it because they may outlive the
/// supervisor.
class EngineSupervisor::Core final : public FleetActions,
                                     public std::enable_shared_from_this<Core> {
 public:
  /// Runs on the supervisor's thread.
  using Task = std::function<void(EngineSupervisor& supervisor)>;
  using Time = EngineFleet::Time;

  Core(const FleetLimits& limits, const SocketFolder& sockets)
      : sockets_(sockets), fleet_(limits, *this, randomShare) {}

  /// Changes the fleet under the lock, then calls the resulting callbacks without the lock.
  template <class Change>
  void change(const Change& make) {
    std::vector<Answer> answers;
    {
      const MutexLock lock(mutex_);
      make(fleet_, std::chrono::steady_clock::now());
      answers.swap(answers_);
      if (!tasks_.empty() || fleet_.nextDue() < awaited_) changed_.notifyAll();
    }
    for (Answer& answer : answers) answer.ready(std::move(answer.lease));
  }

  void acquire(const std::shared_ptr<const Model>& model,
               const std::shared_ptr<const AdapterFile>& adapter,
               Ready ready) {
    change([&](EngineFleet& fleet, Time now) SPINDLE_REQUIRES(mutex_) {
      const RequestId request_id = ++last_request_id_;
      pending_.emplace(request_id, std::move(ready));
      fleet.acquire(request_id, model, adapter, now);
    });
  }

  void post(Task task) {
    const MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notifyAll();
  }

  void stop() {
    change([&](EngineFleet& fleet, Time now) SPINDLE_REQUIRES(mutex_) {
      fleet.stop(now);
      stopping_ = true;
      changed_.notifyAll();
    });
  }

  /// Waits for tasks, at most `longest`. Returns nothing after the fleet has stopped.
  std::optional<std::vector<Task>> awaitTasks(std::chrono::milliseconds longest) {
    const MutexLock lock(mutex_);
    const Time latest = std::chrono::steady_clock::now() + longest;
    while (tasks_.empty()) {
      if (stopping_ && fleet_.hasNoProcess()) return std::nullopt;
      awaited_ = std::min(fleet_.nextDue(), latest);
      const Time now = std::chrono::steady_clock::now();
      if (now >= awaited_) break;
      changed_.waitFor(mutex_, awaited_ - now);
    }
    awaited_ = Time::min();
    return std::exchange(tasks_, {});
  }

  std::vector<EngineStatus> engines() {
    const MutexLock lock(mutex_);
    return fleet_.engines(std::chrono::steady_clock::now());
  }

  // FleetActions: the fleet calls these methods, so the lock is held.
  void inspect(std::uint64_t engine, std::shared_ptr<const Model> model) override
      SPINDLE_REQUIRES(mutex_) {
    tasks_.push_back([engine, model = std::move(model)](EngineSupervisor& supervisor) {
      supervisor.inspect(engine, model);
    });
  }
  void start(EngineRun run, std::shared_ptr<const Model> model) override SPINDLE_REQUIRES(mutex_) {
    tasks_.push_back([run, model = std::move(model)](EngineSupervisor& supervisor) {
      supervisor.startProcess(run, *model);
    });
  }
  void stop(EngineRun run) override SPINDLE_REQUIRES(mutex_) {
    tasks_.push_back([run](EngineSupervisor& supervisor) {
      const auto process = supervisor.processes_.find(run.run);
      if (process != supervisor.processes_.end()) process->second.child->terminate();
    });
  }
  void kill(EngineRun run) override SPINDLE_REQUIRES(mutex_) {
    tasks_.push_back([run](EngineSupervisor& supervisor) {
      const auto process = supervisor.processes_.find(run.run);
      if (process != supervisor.processes_.end()) process->second.child->kill();
    });
  }
  void probe(EngineRun run) override SPINDLE_REQUIRES(mutex_) {
    tasks_.push_back([run](EngineSupervisor& supervisor) { supervisor.probe(run); });
  }
  void loadAdapter(EngineRun run, std::shared_ptr<const AdapterFile> adapter) override
      SPINDLE_REQUIRES(mutex_) {
    tasks_.push_back([run, adapter = std::move(adapter)](EngineSupervisor& supervisor) {
      supervisor.loadAdapter(run, adapter);
    });
  }
  void dropAdapter(EngineRun run, const std::string& name) override SPINDLE_REQUIRES(mutex_) {
    tasks_.push_back(
        [run, name](EngineSupervisor& supervisor) { supervisor.dropAdapter(run, name); });
  }
  void answer(RequestId request_id, Result<EngineGrant> grant) override SPINDLE_REQUIRES(mutex_);
  void quarantine(AdapterCrash crash) override SPINDLE_REQUIRES(mutex_) {
    tasks_.push_back([crash = std::move(crash)](EngineSupervisor& supervisor) {
      supervisor.recordQuarantine(crash);
    });
  }

 private:
  class Lease;
  struct Answer {
    Ready ready;
    Result<std::shared_ptr<EngineLease>> lease;
  };

  const SocketFolder sockets_;
  Mutex mutex_;
  Condition changed_;
  EngineFleet fleet_ SPINDLE_GUARDED_BY(mutex_);
  RequestId last_request_id_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::map<RequestId, Ready> pending_ SPINDLE_GUARDED_BY(mutex_);
  std::vector<Task> tasks_ SPINDLE_GUARDED_BY(mutex_);
  std::vector<Answer> answers_ SPINDLE_GUARDED_BY(mutex_);
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  Time awaited_ SPINDLE_GUARDED_BY(mutex_) = Time::min();  ///< until when the thread waits
};

class EngineSupervisor::Core::Lease final : public EngineLease {
 public:
  Lease(std::shared_ptr<Core> core, EngineGrant grant)
      : core_(std::move(core)),
        grant_(std::move(grant)),
        url_(engineUrl(core_->sockets_.socketOf(grant_.run.run), "/v1")) {}
  ~Lease() override {
    core_->change([this](EngineFleet& fleet, Time now) {
      fleet.release(grant_.run, grant_.adapter, broke_.load(), now);
    });
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  const std::string& url() const override { return url_; }
  const std::string& model() const override { return grant_.model; }
  void connectionBroken() override { broke_.store(true); }

 private:
  std::atomic<bool> broke_{false};
  const std::shared_ptr<Core> core_;
  const EngineGrant grant_;
  const std::string url_;
};

void EngineSupervisor::Core::answer(RequestId request_id, Result<EngineGrant> grant) {
  const auto found = pending_.find(request_id);
  Ready ready = std::move(found->second);
  pending_.erase(found);
  if (!grant) {
    answers_.push_back({std::move(ready), std::move(grant).error()});
    return;
  }
  std::shared_ptr<EngineLease> lease =
      std::make_shared<Lease>(shared_from_this(), *std::move(grant));
  answers_.push_back({std::move(ready), std::move(lease)});
}

EngineSupervisor::EngineSupervisor(const EngineOptions& options,
                                   Catalogue catalogue,
                                   MetricRegistry& metrics,
                                   AdapterQuarantine* quarantine,
                                   ModelFiles* files)
    : options_(options),
      catalogue_(std::move(catalogue)),
      metrics_(metrics),
      quarantine_(quarantine),
      files_(files),
      sockets_(options.data_folder, options.temporary_folder),
      core_(std::make_shared<Core>(options.limits, sockets_)),
      client_(std::make_unique<EngineClient>(options.probe_limit)) {}

EngineSupervisor::~EngineSupervisor() { stop(); }

void EngineSupervisor::start() {
  thread_ = std::thread([this] { run(); });
}

void EngineSupervisor::stop() {
  core_->stop();
  if (thread_.joinable()) thread_.join();
  client_.reset();
}

void EngineSupervisor::acquire(std::shared_ptr<const Model> model,
                               std::shared_ptr<const AdapterFile> adapter,
                               Ready ready) {
  core_->acquire(model, adapter, std::move(ready));
}

std::vector<EngineStatus> EngineSupervisor::engines() const { return core_->engines(); }

Result<void> EngineSupervisor::unload(std::string_view model) {
  Result<void> done;
  core_->change(
      [&](EngineFleet& fleet, EngineFleet::Time now) { done = fleet.unload(model, now); });
  return done;
}

void EngineSupervisor::run() {
  while (true) {
    followCatalogue();
    const std::optional<std::vector<Core::Task>> tasks = core_->awaitTasks(kCatalogueInterval);
    if (!tasks) break;
    for (const Core::Task& task : *tasks) task(*this);
    reportFetches();
    core_->change([](EngineFleet& fleet, EngineFleet::Time now) { fleet.tick(now); });
    publish();
  }
  processes_.clear();
}

void EngineSupervisor::followCatalogue() {
  std::shared_ptr<const CatalogueSnapshot> current = catalogue_();
  if (current == followed_) return;
  followed_ = std::move(current);
  std::vector<std::shared_ptr<const Model>> models;
  for (const auto& [name, model] : followed_->models) {
    if (model->hasFile()) models.push_back(model);
  }
  core_->change(
      [&models](EngineFleet& fleet, EngineFleet::Time now) { fleet.applyCatalogue(models, now); });
}

std::int64_t EngineSupervisor::contextOf(const Model& model) const {
  return model.context > 0 ? model.context : options_.context;
}

void EngineSupervisor::inspect(std::uint64_t engine, const std::shared_ptr<const Model>& model) {
  if (!model->isStored()) return inspectFile(engine, *model, model->file);
  if (files_ == nullptr) {
    return reportInspected(engine, Error::invalidArgument("The file of the model is elsewhere."));
  }
  if (const LocalFile file = files_->find(model->stored)) {
    return inspectFile(engine, *model, file->path);
  }
  fetch(engine, model);
}

void EngineSupervisor::inspectFile(std::uint64_t engine,
                                   const Model& model,
                                   const std::string& path) {
  Result<ModelFileInfo> facts =
      inspectModelFile(path, {.slots = options_.slots, .context = contextOf(model)});
  if (!facts) {
    kLog.warning("model_file_unusable",
                 {{"model", model.name}, {"file", path}, {"reason", facts.error().message()}});
  }
  reportInspected(engine, std::move(facts));
}

void EngineSupervisor::reportInspected(std::uint64_t engine, Result<ModelFileInfo> facts) {
  core_->change([&](EngineFleet& fleet, EngineFleet::Time now) {
    fleet.inspected(engine, std::move(facts), now);
  });
}

void EngineSupervisor::fetch(std::uint64_t engine, std::shared_ptr<const Model> model) {
  fetches_.insert_or_assign(engine, model->stored);
  reportFetches();
  const StoredModelFile& stored = model->stored;
  files_->fetch(stored, [core = core_, engine, model](Result<LocalFile> file) {
    core->post([engine, model, file = std::move(file)](EngineSupervisor& supervisor) {
      supervisor.fetches_.erase(engine);
      if (!file) return supervisor.reportInspected(engine, file.error());
      supervisor.inspectFile(engine, *model, (*file)->path);
    });
  });
}

void EngineSupervisor::reportFetches() {
  for (const auto& [engine, file] : fetches_) {
    const double progress = files_->progressOf(file);
    core_->change([&, id = engine](EngineFleet& fleet, EngineFleet::Time now) {
      fleet.fetching(id, progress, now);
    });
  }
}

void EngineSupervisor::startProcess(EngineRun run, const Model& model) {
  const auto fails = [&](const std::string& reason) {
    kLog.error("engine_not_started",
               {{"model", model.name}, {"program", options_.executable}, {"reason", reason}});
    core_->change([&](EngineFleet& fleet, EngineFleet::Time now) {
      fleet.exited(run, {kNotStarted, 0, reason}, now);
    });
  };
  LocalFile file;
  if (model.isStored()) {
    file = files_->find(model.stored);
    if (!file) return fails("The model file was removed from the cache.");
  }
  ChildCommand command;
  command.executable = options_.executable;
  command.on_line = [name = model.name](const std::string& line) {
    relayLogLine(kLog, "engine_output", {{"model", name}}, line);
  };
  command.arguments = {
      "--model",   file ? file->path : model.file,   "--name",    model.name,
      "--socket",  sockets_.socketOf(run.run),       "--slots",   std::to_string(options_.slots),
      "--context", std::to_string(contextOf(model)), "--threads", std::to_string(options_.threads)};
  if (options_.sandbox) {
    for (const std::string& each : {std::string("--sandbox"), std::string("auto"),
                                    std::string("--read"), options_.adapter_folder})
      command.arguments.push_back(each);
  }
  command.arguments.emplace_back("--until-end-of-input");
  const std::vector<Ability>& can = model.abilities;
  if (std::find(can.begin(), can.end(), Ability::kEmbeddings) != can.end()) {
    command.arguments.emplace_back("--embeddings");
  }
  const auto exited = [core = core_, run, name = model.name](const ChildExit& exit) {
    kLog.info("engine_ended", {{"model", name}, {"code", exit.code}, {"signal", exit.signal}});
    core->change([&](EngineFleet& fleet, EngineFleet::Time now) {
      fleet.exited(run, withoutProgram(exit), now);
    });
    core->post([run](EngineSupervisor& supervisor) {
      supervisor.processes_.erase(run.run);
      std::error_code ignored;
      std::filesystem::remove(supervisor.sockets_.socketOf(run.run), ignored);
    });
  };
  Result<std::unique_ptr<ChildProcess>> process = ChildProcess::start(std::move(command), exited);
  if (!process) return fails(process.error().message());
  const int pid = (*process)->pid();
  kLog.info("engine_started", {{"model", model.name}, {"pid", pid}});
  processes_.emplace(run.run, Process{*std::move(process), std::move(file)});
  core_->change([&](EngineFleet& fleet, EngineFleet::Time) { fleet.started(run, pid); });
}

void EngineSupervisor::probe(EngineRun run) {
  client_->probe(sockets_.socketOf(run.run), [core = core_, run](Result<EngineHealth> health) {
    core->change(
        [&](EngineFleet& fleet, EngineFleet::Time now) { fleet.probed(run, health, now); });
  });
}

void EngineSupervisor::loadAdapter(EngineRun run, std::shared_ptr<const AdapterFile> adapter) {
  const AdapterFile& file = *adapter;
  client_->loadAdapter(sockets_.socketOf(run.run), file,
                       [core = core_, run, adapter = std::move(adapter)](Result<void> done) {
                         core->change([&](EngineFleet& fleet, EngineFleet::Time now) {
                           fleet.adapterLoaded(run, adapter->name, done, now);
                         });
                       });
}

void EngineSupervisor::dropAdapter(EngineRun run, const std::string& name) {
  client_->dropAdapter(sockets_.socketOf(run.run), name, [core = core_, run, name] {
    core->change(
        [&](EngineFleet& fleet, EngineFleet::Time now) { fleet.adapterDropped(run, name, now); });
  });
}

void EngineSupervisor::recordQuarantine(const AdapterCrash& crash) {
  kLog.error("adapter_quarantined", {{"adapter", crash.adapter.name},
                                     {"artifact", crash.adapter.artifact},
                                     {"model", crash.model},
                                     {"reason", crash.reason}});
  if (quarantine_ == nullptr) return;
  const Result<void> added = quarantine_->add(crash);
  if (!added) {
    kLog.error("quarantine_not_recorded",
               {{"adapter", crash.adapter.name}, {"reason", added.error().message()}});
    return;
  }
  clearQuarantine(crash.adapter.name);
}

void EngineSupervisor::clearQuarantine(const std::string& adapter) {
  core_->change([&](EngineFleet& fleet, EngineFleet::Time) { fleet.quarantineRecorded(adapter); });
}

/// Updates the metrics of each model.
void EngineSupervisor::publish() {
  for (const EngineStatus& engine : core_->engines()) {
    const MetricLabels labels = {{"model", engine.model}};
    metrics_
        .gauge("spindle_inference_engine_up", "1 if the engine of the model is ready, else 0.",
               labels)
        .set(engine.state == EngineState::kReady || engine.state == EngineState::kDraining);
    metrics_
        .gauge("spindle_inference_engine_memory_bytes", "Memory of the engine of the model.",
               labels)
        .set(engine.pid == 0 ? 0 : static_cast<std::int64_t>(engine.memory));
    metrics_.gauge("spindle_inference_engine_restarts", "Restarts after crashes.", labels)
        .set(engine.restarts);
  }
}

}  // namespace spindle::inference
