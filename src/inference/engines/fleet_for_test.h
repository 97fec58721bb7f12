#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "inference/engines/engine_fleet.h"

namespace spindle::inference {

using Lines = std::vector<std::string>;

inline constexpr std::uint64_t kGiB = 1024UL * 1024 * 1024;

inline std::shared_ptr<const Model> modelOf(const std::string& name) {
  auto model = std::make_shared<Model>();
  model->id = "mdl_" + name;
  model->name = name;
  model->file = "/models/" + name + ".gguf";
  return model;
}

inline std::shared_ptr<const AdapterFile> adapterOf(const std::string& name) {
  return std::make_shared<const AdapterFile>(AdapterFile{name, "/adapters/" + name});
}

inline std::string retryAfterOf(const Error& error) {
  for (const auto& [name, json] : error.members()) {
    if (name == "retry_after") return json;
  }
  return "-";
}

/// Records the actions of the fleet as text lines, and the grants and errors.
class RecordingFleetActions final : public FleetActions {
 public:
  Lines take() { return std::exchange(lines_, {}); }

  void inspect(std::uint64_t engine, std::shared_ptr<const Model> model) override {
    last_engine = engine;
    lines_.push_back("inspect " + model->name);
  }
  void start(EngineRun run, std::shared_ptr<const Model> model) override {
    runs[model->name] = run;
    names_[run.run] = model->name;
    lines_.push_back("start " + model->name);
  }
  void stop(EngineRun run) override { lines_.push_back("stop " + names_[run.run]); }
  void kill(EngineRun run) override { lines_.push_back("kill " + names_[run.run]); }
  void probe(EngineRun run) override { lines_.push_back("probe " + names_[run.run]); }
  void loadAdapter(EngineRun run, std::shared_ptr<const AdapterFile> adapter) override {
    lines_.push_back("load " + adapter->name + " into " + names_[run.run]);
  }
  void dropAdapter(EngineRun run, const std::string& name) override {
    lines_.push_back("drop " + name + " of " + names_[run.run]);
  }
  void answer(RequestId request_id, Result<EngineGrant> grant) override {
    const std::string who = std::to_string(request_id);
    if (grant) {
      lines_.push_back(who + " gets " + grant->model);
      grants.insert_or_assign(request_id, *std::move(grant));
    } else {
      lines_.push_back(who + " is refused");
      errors.insert_or_assign(request_id, std::move(grant).error());
    }
  }

  void quarantine(AdapterCrash crash) override {
    lines_.push_back("quarantine " + crash.adapter.name + " of " + crash.model + ": " +
                     crash.reason);
  }

  std::uint64_t last_engine = 0;
  std::map<std::string, EngineRun> runs;
  std::map<RequestId, EngineGrant> grants;
  std::map<RequestId, Error> errors;

 private:
  Lines lines_;
  std::map<std::uint64_t, std::string> names_;
};

/// A fleet with a test clock and recorded actions.
class Fleet : public testing::Test {
 protected:
  Fleet() { use({}); }

  void use(FleetLimits limits) {
    if (limits.memory == 0) limits.memory = 10 * kGiB;
    fleet_ = std::make_unique<EngineFleet>(limits, actions_, [] { return 0.5; });
  }
  void acquire(std::uint64_t request_id,
               const std::shared_ptr<const Model>& model,
               const std::shared_ptr<const AdapterFile>& adapter = nullptr) {
    fleet_->acquire(request_id, model, adapter, now_);
  }
  void release(std::uint64_t request_id, bool broke = false) {
    const EngineGrant& grant = actions_.grants.at(request_id);
    fleet_->release(grant.run, grant.adapter, broke, now_);
  }
  void inspected(std::uint64_t need, const std::string& stamp = "a") {
    fleet_->inspected(actions_.last_engine, ModelFileInfo{stamp, need}, now_);
  }
  void healthy(const std::string& model, std::uint64_t memory = 0) {
    fleet_->probed(actions_.runs.at(model), EngineHealth{true, 1, memory}, now_);
  }
  void silent(const std::string& model) {
    fleet_->probed(actions_.runs.at(model), Error(ErrorCode::kTimeout, "late"), now_);
  }
  void exits(const std::string& model, int code, int signal = 0, const std::string& words = {}) {
    fleet_->exited(actions_.runs.at(model), {code, signal, words}, now_);
  }
  void after(std::chrono::milliseconds time) {
    now_ += time;
    fleet_->tick(now_);
  }
  /// Starts a model for a ticket, which keeps the lease.
  void bringUp(std::uint64_t request_id,
               const std::shared_ptr<const Model>& model,
               std::uint64_t need = kGiB) {
    acquire(request_id, model);
    inspected(need);
    healthy(model->name);
    actions_.take();
  }
  /// Fills a memory of 2 GiB with the models a and b, for the tickets 1 and 2.
  void fillMemory() {
    use({.memory = 2 * kGiB});
    bringUp(1, a_);
    bringUp(2, b_);
  }
  std::string stateOf(const std::string& model) {
    for (const EngineStatus& engine : fleet_->engines(now_)) {
      if (engine.model == model) return std::string(textOf(engine.state));
    }
    return "-";
  }
  EngineStatus statusOf(const std::string& model) {
    for (const EngineStatus& engine : fleet_->engines(now_)) {
      if (engine.model == model) return engine;
    }
    return {};
  }

  RecordingFleetActions actions_;
  std::unique_ptr<EngineFleet> fleet_;
  EngineFleet::Time now_{std::chrono::hours(1)};
  const std::shared_ptr<const Model> a_ = modelOf("a");
  const std::shared_ptr<const Model> b_ = modelOf("b");
  const std::shared_ptr<const Model> c_ = modelOf("c");
};

}  // namespace spindle::inference
