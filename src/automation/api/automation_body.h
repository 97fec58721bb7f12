#pragma once

#include <optional>
#include <string>
#include <vector>

#include "automation/api/automation_service.h"
#include "base/core/time.h"
#include "json/writer.h"
#include "schema/type.h"

namespace spindle::automation {

/// An automation in API responses.
struct AutomationView {
  AutomationView() = default;
  explicit AutomationView(const Automation& automation);
  explicit AutomationView(SavedAutomation saved);

  std::int64_t version = 1;  ///< shown as the ETag
  std::string id;
  std::string name;
  std::optional<std::string> description;
  bool enabled = true;
  ScopeSpec scope;
  json::Text event;
  Action action;
  std::optional<std::string> created_by;
  Timestamp created_at;
  std::optional<Timestamp> updated_at;
  std::optional<Timestamp> last_executed_at;
  std::optional<std::vector<TemplateWarning>> warnings;  ///< only in responses to writes
};

/// The values of an event that a request describes.
struct EventSample {
  schema::MapOf<json::Text> variables;
  std::optional<json::Text> artifact_metadata;
};

/// A new automation, and the event to preview it with: described, stored, or neither.
struct PreviewBody : NewAutomation {
  std::optional<EventSample> sample;
  std::optional<std::string> event_id;
};

schema::Codec<NewAutomation> newAutomationCodec();
schema::Codec<PreviewBody> previewBodyCodec();
schema::Codec<EventSample> eventSampleCodec();
schema::Codec<AutomationChange> automationChangeCodec();
schema::Codec<AutomationView> automationCodec();
schema::Codec<std::vector<TemplateWarning>> warningsCodec();

}  // namespace spindle::automation
