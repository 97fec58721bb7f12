#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "registry/repositories/registry_for_test.h"
#include "runs/metric_observer.h"
#include "runs/migrations.h"
#include "runs/run_repository.h"

namespace spindle::runs {

using Words = std::vector<std::string>;

/// A MetricObserver that records the rows it receives and returns `refusal` if that is set.
class MetricObserverForTest final : public MetricObserver {
 public:
  struct Seen {
    std::int64_t step = 0;
    Timestamp time;
    std::vector<std::pair<std::string, double>> metrics;
  };

  bool watches(std::string_view /*team_id*/, std::string_view /*project_id*/) override {
    return watching;
  }
  Result<std::int64_t> observe(storage::Session& /*session*/,
                               const ObservedRun& run,
                               const std::vector<ObservedRow>& rows) override {
    if (refusal) return *refusal;
    last_run = run;
    for (const ObservedRow& row : rows) {
      Seen& one = seen.emplace_back();
      one.step = row.step;
      one.time = row.time;
      for (const MetricValue& metric : row.metrics) {
        one.metrics.emplace_back(metric.key, metric.value);
      }
    }
    return 0;
  }
  Result<void> forget(storage::Session& /*session*/,
                      std::string_view /*project_id*/,
                      std::string_view run_id) override {
    forgotten.emplace_back(run_id);
    return {};
  }

  bool watching = false;
  std::optional<Error> refusal;
  ObservedRun last_run;
  std::vector<Seen> seen;
  std::vector<std::string> forgotten;
};

/// A fixture with run repositories on an empty database of the engine under test, and with the
/// registry, a team, a member and a project.
class RunsContract : public registry::RegistryContract {
 protected:
  std::vector<storage::AreaSchema> schemas() const override { return schemasAnd(runsSchema()); }

  runs::Run started(const NewRun& fresh) {
    Result<RunRepository::Started> run = runs_.start(place_, actor_, fresh);
    EXPECT_TRUE(run) << (run ? "" : run.error().message());
    return run ? std::move(run->run) : runs::Run();
  }
  runs::Run started(const std::string& run_id) {
    NewRun fresh;
    fresh.run_id = run_id;
    return started(fresh);
  }
  runs::Run found(const std::string& run_id) {
    Result<runs::Run> run = runs_.find({place_.project_id, run_id});
    EXPECT_TRUE(run);
    return run ? *std::move(run) : runs::Run();
  }

  /// Returns the RUN_STATE events since the last call as texts `<run id> <state>`.
  std::vector<std::string> raisedStates() {
    std::vector<std::string> states;
    for (const events::Event& event : newEvents()) {
      EXPECT_EQ(event.type, events::EventType::kRunState);
      const std::string_view word = R"("run_state":")";
      const std::size_t begin = event.data.find(word) + word.size();
      states.push_back(event.subject.run_id + " " +
                       event.data.substr(begin, event.data.find('"', begin) - begin));
    }
    return states;
  }

  MetricObserverForTest observer_;
  RunRepository runs_{*database_, outbox_, &observer_, clock_};
};

}  // namespace spindle::runs
