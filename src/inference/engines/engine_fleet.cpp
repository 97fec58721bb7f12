#include "inference/engines/engine_fleet.h"

#include <algorithm>
#include <utility>

#include "inference/engines/engine_errors.h"
#include "inference/engines/fleet_engine.h"

namespace spindle::inference {
namespace {

using std::chrono::ceil, std::chrono::duration_cast, std::chrono::milliseconds,
    std::chrono::seconds;

constexpr double kJitter = 0.2;

std::string endOf(const ChildExit& exit) {
  return exit.signal != 0 ? "was terminated by signal " + std::to_string(exit.signal)
                          : "exited with code " + std::to_string(exit.code);
}

bool servesSame(const Model& a, const Model& b) {
  return a.id == b.id && a.name == b.name && a.file == b.file && a.stored == b.stored &&
         a.context == b.context;
}

}  // namespace

EngineFleet::EngineFleet(const FleetLimits& limits,
                         FleetActions& actions,
                         std::function<double()> random)
    : limits_(limits), actions_(actions), random_(std::move(random)) {}

EngineFleet::~EngineFleet() = default;

EngineFleet::Engine& EngineFleet::engineFor(const std::shared_ptr<const Model>& model, Time now) {
  for (const std::unique_ptr<Engine>& engine : engines_) {
    if (engine->model == model) return *engine;
  }
  for (const std::unique_ptr<Engine>& engine : engines_) {
    if (!servesSame(*engine->model, *model)) continue;
    engine->model = model;
    engine->retired = false;
    return *engine;
  }
  auto engine = std::make_unique<Engine>(limits_.adapters);
  engine->id = ++last_engine_;
  engine->model = model;
  engine->since = now;
  engine->last_used = now;
  return *engines_.emplace_back(std::move(engine));
}

EngineFleet::Engine* EngineFleet::findRun(EngineRun run) {
  for (const std::unique_ptr<Engine>& engine : engines_) {
    if (engine->run != 0 && engine->current() == run) return engine.get();
  }
  return nullptr;
}

void EngineFleet::enter(Engine& engine, EngineState state, Time now) {
  engine.state = state;
  engine.since = now;
  engine.deadline = Time::max();
}

void EngineFleet::rejectWaiting(Engine& engine, const Error& error) {
  for (const Waiter& waiter : std::exchange(engine.waiters, {})) {
    actions_.answer(waiter.request_id, error);
  }
}

void EngineFleet::acquire(RequestId request_id,
                          const std::shared_ptr<const Model>& model,
                          std::shared_ptr<const AdapterFile> adapter,
                          Time now) {
  if (stopped_) return actions_.answer(request_id, serverStopping());
  if (adapter && crash_tracker_.isQuarantined(adapter->name))
    return actions_.answer(request_id, adapterQuarantined());
  Engine& engine = engineFor(model, now);
  engine.last_used = now;
  engine.waiters.push_back({request_id, std::move(adapter)});
  switch (engine.state) {
    case EngineState::kReady:
      grantWaiting(engine, now);
      break;
    case EngineState::kBackingOff:
      if (now < engine.retry_at) {
        rejectWaiting(
            engine, engineDown(model->name, engine.how, ceil<milliseconds>(engine.retry_at - now)));
        break;
      }
      [[fallthrough]];
    case EngineState::kStopped:
    case EngineState::kFailed:
      inspect(engine, now);
      break;
    case EngineState::kFetching:
      rejectImpatient(engine, now);
      break;
    case EngineState::kInspecting:
    case EngineState::kWaiting:
    case EngineState::kStarting:
    case EngineState::kDraining:
    case EngineState::kStopping:
      break;
  }
}

void EngineFleet::release(EngineRun run, const std::string& adapter, bool broke, Time now) {
  Engine* const engine = findRun(run);
  if (engine == nullptr || engine->leases == 0) return;
  --engine->leases;
  engine->last_used = now;
  if (!adapter.empty()) {
    engine->loaded_adapters.release(adapter, now);
    if (broke) engine->broken.insert(adapter);
    if (!broke) crash_tracker_.succeeded(adapter);
  }
  stopIfUnused(*engine, now);
}

/// Grants the engine to all waiting requests whose adapter is loaded.
void EngineFleet::grantWaiting(Engine& engine, Time now) {
  if (engine.state != EngineState::kReady) return;
  for (Waiter& waiter : std::exchange(engine.waiters, {})) {
    EngineGrant grant{engine.current(), engine.model->name, {}};
    if (waiter.adapter) {
      const LoadedAdapters::Decision place =
          engine.loaded_adapters.nextAction(waiter.adapter->name, now);
      engine.files.insert_or_assign(waiter.adapter->name, *waiter.adapter);
      if (place.next == LoadedAdapters::Action::kFull) {
        actions_.answer(waiter.request_id, adaptersInUse(engine.model->name, limits_.adapters));
        continue;
      }
      if (place.next == LoadedAdapters::Action::kLoad) {
        actions_.loadAdapter(engine.current(), waiter.adapter);
      }
      if (place.next == LoadedAdapters::Action::kDrop) {
        actions_.dropAdapter(engine.current(), place.drop);
      }
      if (place.next != LoadedAdapters::Action::kReady) {
        engine.waiters.push_back(std::move(waiter));
        continue;
      }
      engine.loaded_adapters.take(waiter.adapter->name, now);
      grant.adapter = waiter.adapter->name;
      grant.model = grant.adapter;
    }
    ++engine.leases;
    actions_.answer(waiter.request_id, std::move(grant));
  }
}

/// Stops an engine that is draining or retired and has no requests.
void EngineFleet::stopIfUnused(Engine& engine, Time now) {
  const bool leaves = engine.state == EngineState::kDraining || (engine.retired && engine.isIdle());
  if (leaves && engine.leases == 0) stopProcess(engine, now);
}

void EngineFleet::inspect(Engine& engine, Time now) {
  enter(engine, EngineState::kInspecting, now);
  actions_.inspect(engine.id, engine.model);
}

void EngineFleet::fetching(std::uint64_t id, double progress, Time now) {
  const auto found = std::find_if(engines_.begin(), engines_.end(),
                                  [id](const auto& engine) { return engine->id == id; });
  if (found == engines_.end() || !(*found)->isInspected()) return;
  Engine& engine = **found;
  engine.progress = progress;
  if (engine.state == EngineState::kFetching) return;
  enter(engine, EngineState::kFetching, now);
  engine.deadline = now + limits_.start_timeout;
}

/// Rejects the requests that wait for a file when its fetch takes too long.
void EngineFleet::rejectImpatient(Engine& engine, Time now) {
  if (now >= engine.deadline) rejectWaiting(engine, fileBeingFetched(engine.model->name));
}

void EngineFleet::inspected(std::uint64_t id, Result<ModelFileInfo> facts, Time now) {
  const auto found = std::find_if(engines_.begin(), engines_.end(),
                                  [id](const auto& engine) { return engine->id == id; });
  if (found == engines_.end() || !(*found)->isInspected()) return;
  Engine& engine = **found;
  engine.progress = 0;
  if (!facts) {
    engine.facts = {};
    engine.failure = std::move(facts).error();
  } else if (facts->stamp != engine.facts.stamp) {
    engine.failure.reset();
    engine.facts = *std::move(facts);
    engine.need = engine.facts.need;
  }
  if (engine.failure) {
    engine.last_error = engine.failure->message();
    enter(engine, EngineState::kFailed, now);
    return rejectWaiting(engine, *engine.failure);
  }
  claimMemory(engine, now);
}

EngineFleet::MemoryPlan EngineFleet::planMemory(const Engine& engine) const {
  MemoryPlan room;
  room.free = static_cast<std::int64_t>(limits_.memory);
  std::vector<Engine*> idle;
  for (const std::unique_ptr<Engine>& other : engines_) {
    if (other.get() == &engine) continue;
    const bool stays = other->isServing() || other->state == EngineState::kStarting ||
                       other->state == EngineState::kWaiting;
    if (stays) room.free -= static_cast<std::int64_t>(other->need);
    if (other->isIdle()) idle.push_back(other.get());
  }
  std::stable_sort(idle.begin(), idle.end(),
                   [](const Engine* a, const Engine* b) { return a->last_used < b->last_used; });
  for (Engine* const each : idle) {
    if (room.free >= static_cast<std::int64_t>(engine.need)) break;
    room.free += static_cast<std::int64_t>(each->need);
    room.going.push_back(each);
  }
  return room;
}

void EngineFleet::claimMemory(Engine& engine, Time now) {
  const MemoryPlan room = planMemory(engine);
  if (room.free < static_cast<std::int64_t>(engine.need)) {
    const std::uint64_t free = static_cast<std::uint64_t>(std::max<std::int64_t>(0, room.free));
    const Error error = engine.need > limits_.memory
                            ? tooLarge(engine.model->name, engine.need, limits_.memory)
                            : noMemory(engine.model->name, engine.need, free, limits_.memory);
    engine.last_error = error.message();
    enter(engine, EngineState::kStopped, now);
    return rejectWaiting(engine, error);
  }
  for (Engine* const idle : room.going) stopProcess(*idle, now);
  enter(engine, EngineState::kWaiting, now);
  startWaiting(now);
}

/// Starts the engines that wait for memory, in order, as far as memory is available.
void EngineFleet::startWaiting(Time now) {
  std::uint64_t used = 0;
  std::vector<Engine*> waiting;
  for (const std::unique_ptr<Engine>& engine : engines_) {
    if (engine->run != 0) used += engine->need;
    if (engine->state == EngineState::kWaiting) waiting.push_back(engine.get());
  }
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const Engine* a, const Engine* b) { return a->since < b->since; });
  for (Engine* const engine : waiting) {
    used += engine->need;
    if (used > limits_.memory) return;
    startProcess(*engine, now);
  }
}

void EngineFleet::startProcess(Engine& engine, Time now) {
  enter(engine, EngineState::kStarting, now);
  engine.deadline = now + limits_.start_timeout;
  engine.run = ++last_run_;
  engine.up = false;
  engine.hung = false;
  engine.progress = 0;
  engine.probing = false;
  engine.probe_at = now + limits_.loading_probe;
  engine.missed = 0;
  if (engine.crashes > 0 || engine.restarting) ++engine.restarts;
  engine.restarting = false;
  actions_.start(engine.current(), engine.model);
}

void EngineFleet::stopProcess(Engine& engine, Time now) {
  enter(engine, EngineState::kStopping, now);
  engine.deadline = now + limits_.stop_grace;
  actions_.stop(engine.current());
}

void EngineFleet::killHung(Engine& engine, std::string reason, Time now) {
  engine.how = std::move(reason);
  engine.hung = true;
  enter(engine, EngineState::kStopping, now);
  actions_.kill(engine.current());
}

void EngineFleet::started(EngineRun run, int pid) {
  if (Engine* const engine = findRun(run)) engine->pid = pid;
}

void EngineFleet::probed(EngineRun run, const Result<EngineHealth>& health, Time now) {
  Engine* const engine = findRun(run);
  if (engine == nullptr) return;
  engine->probing = false;
  if (engine->state == EngineState::kStarting) {
    engine->probe_at = now + limits_.loading_probe;
    if (!health) return;  // the engine does not listen yet
    engine->progress = health->progress;
    if (!health->ready) return;
    enter(*engine, EngineState::kReady, now);
    engine->progress = 1;
    engine->up = true;
    engine->ready_at = now;
    engine->last_used = now;
    if (health->memory_bytes > 0) engine->need = health->memory_bytes;
    engine->probe_at = now + limits_.health_probe;
    grantWaiting(*engine, now);
    stopIfUnused(*engine, now);
    // The engine may need more memory than its file indicated.
    for (Engine* const idle : planMemory(*engine).going) stopProcess(*idle, now);
    return;
  }
  if (!engine->isServing()) return;
  engine->probe_at = now + limits_.health_probe;
  const bool is_well = health && health->ready;
  if (is_well) engine->broken.clear();
  engine->missed = is_well ? 0 : engine->missed + 1;
  if (engine->missed >= limits_.missed_probes) killHung(*engine, "stopped responding", now);
}

void EngineFleet::exited(EngineRun run, const ChildExit& exit, Time now) {
  Engine* const engine = findRun(run);
  if (engine == nullptr) return;
  const bool was_asked = engine->state == EngineState::kStopping && !engine->hung;
  const bool was_up = engine->up;
  const std::vector<AdapterFile> suspects = suspectsOf(*engine);
  engine->run = 0;
  engine->pid = 0;
  engine->progress = 0;
  engine->up = false;
  engine->leases = 0;
  engine->loaded_adapters.clear();
  engine->files.clear();
  engine->broken.clear();
  if (was_asked) {
    enter(*engine, EngineState::kStopped, now);
    if (!engine->waiters.empty()) inspect(*engine, now);
  } else if (!was_up && exit.code == kUnloadableExit && exit.signal == 0) {
    engine->failure = Error::invalidArgument(
        exit.last_words.empty() ? "The model file cannot be loaded." : exit.last_words);
    engine->last_error = engine->failure->message();
    enter(*engine, EngineState::kFailed, now);
    rejectWaiting(*engine, *engine->failure);
  } else {
    if (!engine->hung) engine->how = endOf(exit);
    engine->last_error = engine->how;
    if (!exit.last_words.empty()) engine->last_error += ": " + exit.last_words;
    // A regular exit or a hung process (the machine may be overloaded) is not an adapter's fault.
    const bool is_crash = !engine->hung && (exit.signal != 0 || exit.code != 0);
    crashed(*engine, was_up, is_crash && recordCrash(*engine, suspects), now);
  }
  startWaiting(now);
}

std::vector<AdapterFile> EngineFleet::suspectsOf(const Engine& engine) const {
  std::set<std::string> names = engine.broken;
  for (std::string& name : engine.loaded_adapters.inUse()) names.insert(std::move(name));
  std::vector<AdapterFile> suspects;
  for (const std::string& name : names) {
    const auto file = engine.files.find(name);
    if (file != engine.files.end()) suspects.push_back(file->second);
  }
  return suspects;
}

/// Records a crash against the suspects. @return true if an adapter was quarantined.
bool EngineFleet::recordCrash(const Engine& engine, const std::vector<AdapterFile>& suspects) {
  const std::vector<AdapterFile> guilty = crash_tracker_.crashed(suspects);
  for (const AdapterFile& adapter : guilty)
    actions_.quarantine({adapter, engine.model->name, engine.how});
  return !guilty.empty();
}

void EngineFleet::crashed(Engine& engine, bool was_up, bool by_adapter, Time now) {
  const bool ran_well = was_up && now - engine.ready_at >= limits_.stable_uptime;
  engine.restarting = by_adapter;
  if (!by_adapter) engine.crashes = ran_well ? 1 : engine.crashes + 1;
  const milliseconds delay = by_adapter ? milliseconds(0) : delayAfter(engine.crashes, was_up);
  enter(engine, EngineState::kBackingOff, now);
  engine.retry_at = now + delay;
  engine.restarts_itself = !stopped_ && !engine.retired && (was_up || engine.model->start_at_boot);
  rejectWaiting(engine, engineDown(engine.model->name, engine.how, delay));
  if (engine.restarts_itself && delay == milliseconds::zero()) inspect(engine, now);
}

milliseconds EngineFleet::delayAfter(int crashes, bool was_up) {
  if (crashes == 1 && was_up) return milliseconds(0);
  milliseconds delay = limits_.initial_backoff;
  for (int i = 1; i < crashes && delay < limits_.max_backoff; ++i) delay *= 2;
  const double factor = 1 - kJitter + 2 * kJitter * random_();
  return duration_cast<milliseconds>(std::min(delay, limits_.max_backoff) * factor);
}

void EngineFleet::adapterLoaded(EngineRun run,
                                const std::string& name,
                                const Result<void>& done,
                                Time now) {
  Engine* const engine = findRun(run);
  if (engine == nullptr) return;
  if (done) {
    engine->loaded_adapters.loaded(name);
  } else {
    engine->loaded_adapters.removed(name);
    // Without a response, the process may have crashed while loading the adapter.
    if (done.error().code() == ErrorCode::kUnavailable) engine->broken.insert(name);
    for (Waiter& waiter : std::exchange(engine->waiters, {})) {
      if (waiter.adapter && waiter.adapter->name == name) {
        actions_.answer(waiter.request_id, done.error());
      } else {
        engine->waiters.push_back(std::move(waiter));
      }
    }
  }
  grantWaiting(*engine, now);
  stopIfUnused(*engine, now);
}

void EngineFleet::adapterDropped(EngineRun run, const std::string& name, Time now) {
  Engine* const engine = findRun(run);
  if (engine == nullptr) return;
  engine->loaded_adapters.removed(name);
  grantWaiting(*engine, now);
}

Result<void> EngineFleet::unload(std::string_view model, Time now) {
  bool found = false;
  for (const std::unique_ptr<Engine>& each : engines_) {
    Engine& engine = *each;
    if (engine.model->name != model) continue;
    switch (engine.state) {
      case EngineState::kReady:
        enter(engine, EngineState::kDraining, now);
        stopIfUnused(engine, now);
        break;
      case EngineState::kStarting:
      case EngineState::kFetching:
      case EngineState::kInspecting:
      case EngineState::kWaiting:
        if (!engine.waiters.empty()) {
          return Error::conflict("The model is being loaded for requests that wait for it.")
              .because("engine_starting");
        }
        if (engine.state == EngineState::kStarting) {
          stopProcess(engine, now);
        } else {
          enter(engine, EngineState::kStopped, now);
        }
        break;
      case EngineState::kBackingOff:
      case EngineState::kFailed:
        engine.facts = {};
        engine.failure.reset();
        engine.crashes = 0;
        enter(engine, EngineState::kStopped, now);
        break;
      case EngineState::kStopped:
        continue;
      case EngineState::kDraining:
      case EngineState::kStopping:
        break;
    }
    found = true;
  }
  return found ? Result<void>() : Error::notFound("This model is not loaded.");
}

void EngineFleet::applyCatalogue(const std::vector<std::shared_ptr<const Model>>& models,
                                 Time now) {
  if (stopped_) return;
  const auto is_listed = [&models](const Model& model) {
    return std::any_of(models.begin(), models.end(),
                       [&model](const auto& listed) { return servesSame(*listed, model); });
  };
  for (const std::unique_ptr<Engine>& engine : engines_) {
    engine->retired = !is_listed(*engine->model);
    stopIfUnused(*engine, now);
  }
  const auto is_gone = [](const std::unique_ptr<Engine>& engine) {
    return engine->retired && engine->run == 0 && engine->waiters.empty();
  };
  engines_.erase(std::remove_if(engines_.begin(), engines_.end(), is_gone), engines_.end());
  for (const std::shared_ptr<const Model>& model : models) {
    if (!model->start_at_boot || !model->hasFile()) continue;
    if (!booted_.insert(model->id).second) continue;
    Engine& engine = engineFor(model, now);
    if (engine.state == EngineState::kStopped) inspect(engine, now);
  }
}

void EngineFleet::stop(Time now) {
  stopped_ = true;
  for (const std::unique_ptr<Engine>& engine : engines_) {
    rejectWaiting(*engine, serverStopping());
    if (engine->run == 0) {
      enter(*engine, EngineState::kStopped, now);
    } else if (engine->state != EngineState::kStopping) {
      stopProcess(*engine, now);
    }
  }
}

EngineFleet::Time EngineFleet::dueOf(const Engine& engine) const {
  Time due = engine.deadline;
  // Without waiting requests, there is nothing to do.
  if (engine.state == EngineState::kFetching && engine.waiters.empty()) due = Time::max();
  const bool is_up = engine.isServing();
  if ((is_up || engine.state == EngineState::kStarting) && !engine.probing) {
    due = std::min(due, engine.probe_at);
  }
  if (limits_.idle_unload.count() > 0 && engine.isIdle()) {
    due = std::min(due, engine.last_used + limits_.idle_unload);
  }
  if (engine.state == EngineState::kBackingOff && engine.restarts_itself) {
    due = std::min(due, engine.retry_at);
  }
  return due;
}

void EngineFleet::tickOne(Engine& engine, Time now) {
  if (dueOf(engine) > now) return;
  if (engine.state == EngineState::kBackingOff) return inspect(engine, now);
  if (engine.state == EngineState::kFetching) return rejectImpatient(engine, now);
  if (engine.state == EngineState::kStopping) {
    engine.deadline = Time::max();
    return actions_.kill(engine.current());
  }
  if (engine.state == EngineState::kStarting && engine.deadline <= now) {
    const auto limit = duration_cast<seconds>(limits_.start_timeout);
    return killHung(engine, "did not start within " + std::to_string(limit.count()) + " s", now);
  }
  const bool unloads = limits_.idle_unload.count() > 0 && engine.isIdle() &&
                       engine.last_used + limits_.idle_unload <= now;
  if (unloads) return stopProcess(engine, now);
  engine.probing = true;
  actions_.probe(engine.current());
}

void EngineFleet::tick(Time now) {
  for (const std::unique_ptr<Engine>& engine : engines_) tickOne(*engine, now);
}

EngineFleet::Time EngineFleet::nextDue() const {
  Time due = Time::max();
  for (const std::unique_ptr<Engine>& engine : engines_) due = std::min(due, dueOf(*engine));
  return due;
}

bool EngineFleet::hasNoProcess() const {
  return std::all_of(engines_.begin(), engines_.end(),
                     [](const auto& engine) { return engine->run == 0; });
}

std::vector<EngineStatus> EngineFleet::engines(Time now) const {
  std::vector<EngineStatus> all;
  for (const std::unique_ptr<Engine>& engine : engines_) {
    all.push_back({.model = engine->model->name,
                   .state = engine->state,
                   .progress = engine->progress,
                   .pid = engine->pid,
                   .memory = engine->need,
                   .age = duration_cast<milliseconds>(now - engine->since),
                   .restarts = engine->restarts,
                   .last_error = engine->last_error,
                   .adapters = engine->loaded_adapters.names(),
                   .leases = engine->leases,
                   .waiting = engine->waiters.size()});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const EngineStatus& a, const EngineStatus& b) { return a.model < b.model; });
  return all;
}

}  // namespace spindle::inference
