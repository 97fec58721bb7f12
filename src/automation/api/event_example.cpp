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
constexpr std::string_view kExampleAlias = "production";
constexpr std::string_view kExampleModel = "helper";

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

  /// Adds the variables of a version of the collection that was added; `version`: `v3`, or an
  /// alias.
  void addVersion(std::string_view version) {
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
    add("model_name", kExampleModel);
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

std::string exampleState(const EventSpec& event) {
  if (event.states && !event.states->empty()) return event.states->front();
  return event.metric ? "RUNNING" : "FINISHED";
}

}  // namespace

void addExampleValues(EventType type, const EventSpec& event, PayloadFacts& facts) {
  const EventTypeRow* const row = findEventType(type);
  const EventSubject subject = row == nullptr ? EventSubject{} : row->subject;
  ExampleWriter example(facts);
  example.addPlace();
  if (subject.run) example.addRun(exampleState(event));
  if (event.metric) example.addMetric(*event.metric);
  if (subject.training_job) example.addTrainingJob();
  if (subject.error) example.add("error_message", "The loss is not finite.");
  if (subject.alias) example.add("alias", kExampleAlias);
  if (subject.tag) example.add("tag", "approved");
  if (subject.version || subject.collection) {
    example.add("artifact_collection_name", subject.training_job ? kExampleModel : "model");
  }
  if (subject.version) example.addVersion(subject.alias ? kExampleAlias : "v3");
}

}  // namespace spindle::automation
