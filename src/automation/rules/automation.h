#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "automation/rules/event_type.h"
#include "automation/rules/scope.h"
#include "base/core/time.h"

namespace spindle::automation {

inline constexpr std::size_t kMaxAutomationName = 255;
inline constexpr std::size_t kMaxAutomationDescription = 2000;

enum class ActionType { kWebhook, kNoop };
std::string_view textOf(ActionType type);

/// The action of an automation.
struct Action {
  ActionType type = ActionType::kNoop;
  std::optional<std::string> webhook_id = {};  ///< unset if its team was deleted
  std::optional<std::string> preset = {};      ///< the preset that the payload was copied from
  std::optional<std::string> payload = {};     ///< the template; unset: the default template
};

/// The properties of an automation that users set.
struct AutomationDraft {
  std::string name;
  std::optional<std::string> description;
  bool enabled = true;
  Scope scope;
  EventType event_type = EventType::kLinkArtifact;
  std::string event;  ///< a normalized EventSpec, as JSON
  Action action;
};

struct Automation {
  std::string id;
  AutomationDraft draft;
  std::string created_by;  ///< username; empty if the user was deleted
  std::int64_t version = 1;
  Timestamp created_at;
  std::optional<Timestamp> updated_at;
  std::optional<Timestamp> last_executed_at;
};

/// Filter of a list of automations. Unset members match everything.
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
