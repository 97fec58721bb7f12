#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "automation/scope_type.h"

namespace spindle::automation {

/// What an automation can wait for.
enum class EventType {
  kLinkArtifact,
  kUnlinkArtifact,
  kCreateArtifact,
  kAddArtifactAlias,
  kAddArtifactTag,
  kRemoveArtifactTag,
  kAddCollectionTag,
  kRemoveCollectionTag,
  kRunMetricThreshold,
  kRunMetricChange,
  kRunMetricZscore,
  kRunState,
  kEvaluationFinished,
  kTrainingJobFinished,
  kTrainingJobFailed,
  kTraceMetricThreshold,
};

/// `LINK_ARTIFACT` and so on: how the API, templates and headers name it.
std::string_view textOf(EventType type);
/// Reads a name regardless of case; older names of two of them are understood too.
std::optional<EventType> eventTypeOf(std::string_view text);
std::span<const EventType> eventTypes();

/// Whether something of that kind can happen in such a scope.
bool happensIn(EventType type, ScopeType scope);

}  // namespace spindle::automation
