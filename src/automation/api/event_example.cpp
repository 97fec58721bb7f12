#include "automation/api/event_example.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "automation/rules/metric_condition.h"
#include "registry/artifacts/artifact_path.h"

namespace spindle::automation {
namespace {

constexpr std::int64_t kExampleArtifact = 1;
constexpr double kExampleValue = 0.42;

class ExampleWriter {
 public:
  explicit ExampleWriter(PayloadFacts& facts) : variables_(facts.variables) {}

  void add(std::string_view name, std::string_view value) { variables_.emplace(name, value); }

  void addPlace() {
    add("entity_name", "acme");
    const auto registry = variables_.find("registry_name");
    add("project_name",
        registry == variables_.end() ? "churn" : "svc-registry-" + registry->second);
  }

  /// Adds the variables of an artifact version that `version` names: `v3`, or an alias.
  void addVersion(std::string_view version) {
    add("artifact_collection_name", "model");
    add("artifact_version", registry::artifactUri(kExampleArtifact));
    add("artifact_version_index", "3");
    add("artifact_version_string", value("entity_name") + "/" + value("project_name") + "/" +
                                       value("artifact_collection_name") + ":" +
                                       std::string(version));
  }

  void addRun(std::string_view state) {
    add("run_id", "f3k9x2");
    add("run_name", "exp-12");
    add("run_state", state);
  }

  void addMetric(const MetricSpec& metric) {
    const double threshold = metric.threshold.value_or(metric.amount.value_or(3));
    add("metric_name", metric.name);
    add("metric_value",
        metricText(metric.comparison ? valueBeyond(*metric.comparison, threshold) : kExampleValue));
    add("metric_threshold", metricText(threshold));
  }

  void addTrainingJob() {
    add("training_job_id", "job_01M7HZ3PKX4J0V6W2D8Q5R9TNB");
    add("model_name", "helper");
  }

 private:
  std::string value(std::string_view name) const { return variables_.find(name)->second; }

  /// Returns a value that meets the condition.
  static double valueBeyond(std::string_view comparison, double threshold) {
    const double step = std::max(std::abs(threshold) / 4, 0.01);
    if (comparison == "eq") return threshold;
    return comparison.starts_with('l') ? threshold - step : threshold + step;
  }

  std::map<std::string, std::string, std::less<>>& variables_;
};

}  // namespace

void addExampleValues(EventType type, const EventSpec& event, PayloadFacts& facts) {
  ExampleWriter example(facts);
  example.addPlace();
  if (event.metric && type != EventType::kTraceMetricThreshold) example.addRun("RUNNING");
  if (event.metric) example.addMetric(*event.metric);
  switch (type) {
    case EventType::kAddArtifactAlias:
      example.add("alias", "production");
      return example.addVersion("production");
    case EventType::kAddArtifactTag:
    case EventType::kRemoveArtifactTag:
      example.add("tag", "approved");
      return example.addVersion("v3");
    case EventType::kAddCollectionTag:
    case EventType::kRemoveCollectionTag:
      example.add("tag", "approved");
      return example.add("artifact_collection_name", "model");
    case EventType::kLinkArtifact:
    case EventType::kUnlinkArtifact:
    case EventType::kCreateArtifact:
      return example.addVersion("v3");
    case EventType::kRunState:
      return example.addRun(event.states && !event.states->empty() ? event.states->front()
                                                                   : "FINISHED");
    case EventType::kTrainingJobFailed:
      example.add("error_message", "The loss is not finite.");
      return example.addTrainingJob();
    case EventType::kTrainingJobFinished:
      example.addTrainingJob();
      example.add("artifact_collection_name", "helper");
      return example.addVersion("v3");
    case EventType::kTrainingJobCancelled:
      return example.addTrainingJob();
    case EventType::kRunMetricThreshold:
    case EventType::kRunMetricChange:
    case EventType::kRunMetricZscore:
    case EventType::kEvaluationFinished:
    case EventType::kTraceMetricThreshold:
    case EventType::kAgentTurnEnded:
      return;
  }
}

}  // namespace spindle::automation
