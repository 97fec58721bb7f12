#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "automation/event_type.h"
#include "automation/scope.h"
#include "base/time.h"

namespace spindle::automation {

inline constexpr std::size_t kMaxAutomationName = 255;
inline constexpr std::size_t kMaxAutomationDescription = 2000;

enum class ActionType { kWebhook, kNoop };
std::string_view textOf(ActionType type);

/// What happens when the event comes.
struct Action {
  ActionType type = ActionType::kNoop;
  std::optional<std::string> webhook_id = {};  ///< unset when its team is gone
  std::optional<std::string> preset = {};      ///< where the payload comes from
  std::optional<std::string> payload = {};     ///< the template; unset: the default one
};

/// All that a person decides about an automation.
struct AutomationDraft {
  std::string name;
  std::optional<std::string> description;
  bool enabled = true;
  Scope scope;
  EventType event_type = EventType::kLinkArtifact;
  std::string event;  ///< the normal form of an EventSpec, as JSON
  Action action;
};

struct Automation {
  std::string id;
  AutomationDraft draft;
  std::string created_by;  ///< username; empty when the user is gone
  std::int64_t version = 1;
  Timestamp created_at;
  std::optional<Timestamp> updated_at;
  std::optional<Timestamp> last_executed_at;
};

/// Which automations a list shows; what is not set does not matter.
struct AutomationFilter {
  std::optional<std::string> name = {};
  std::optional<ScopeType> scope_type = {};
  std::optional<std::string> team = {};
  std::optional<std::string> project = {};
  std::optional<std::string> registry = {};
  std::optional<EventType> event_type = {};
  std::optional<ActionType> action_type = {};
  std::optional<bool> enabled = {};
  std::optional<std::string> created_by = {};
};

}  // namespace spindle::automation
