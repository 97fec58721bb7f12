#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "automation/api/automation_service.h"
#include "base/core/time.h"
#include "json/writer.h"
#include "schema/type.h"

namespace spindle::automation {

/// A template as text, or as a JSON object that is converted to text.
using PayloadInput = std::variant<std::string, json::Text>;

struct ActionInput {
  std::string type;
  std::optional<std::string> webhook_id;
  std::optional<std::string> preset;
  std::optional<PayloadInput> payload;

  ActionSpec spec() const;
};

struct NewAutomationBody {
  std::string name;
  std::optional<std::string> description;
  bool enabled = true;
  ScopeSpec scope;
  EventSpec event;
  ActionInput action;
};

struct AutomationChangeBody {
  std::optional<std::string> name;
  std::optional<std::optional<std::string>> description;
  std::optional<bool> enabled;
  std::optional<ScopeSpec> scope;
  std::optional<EventSpec> event;
  std::optional<ActionInput> action;
};

struct ActionView {
  std::string type;
  std::optional<std::string> webhook_id;
  std::optional<std::string> preset;
  std::optional<std::string> payload;
};

/// An automation in API responses.
struct AutomationView {
  AutomationView() = default;
  explicit AutomationView(const Automation& automation);

  std::string id;
  std::string name;
  std::optional<std::string> description;
  bool enabled = true;
  ScopeSpec scope;
  json::Text event;
  ActionView action;
  std::optional<std::string> created_by;
  Timestamp created_at;
  std::optional<Timestamp> updated_at;
  std::optional<Timestamp> last_executed_at;
  std::optional<std::vector<TemplateWarning>> warnings;  ///< only in responses to writes
};

schema::Codec<NewAutomationBody> newAutomationCodec();
schema::Codec<AutomationChangeBody> automationChangeCodec();
schema::Codec<AutomationView> automationCodec();
schema::Codec<std::vector<TemplateWarning>> warningsCodec();

}  // namespace spindle::automation
