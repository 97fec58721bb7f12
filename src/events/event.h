#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/time.h"

namespace spindle::events {

/// The types of events. Automations can react to all of them except kAgentTurnEnded.
enum class EventType {
  kLinkArtifact,    ///< a version became a member of a linked collection
  kUnlinkArtifact,  ///< a membership was removed
  kCreateArtifact,  ///< a version was committed in a source collection
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
  kTrainingJobCancelled,
  kTraceMetricThreshold,
  kAgentTurnEnded,  ///< internal: starts the scoring of a turn; not available to automations
};

/// The names of the event types, in the order of the enumeration.
inline constexpr std::array<std::string_view, 18> kEventTypeNames = {
    "LINK_ARTIFACT",          "UNLINK_ARTIFACT",        "CREATE_ARTIFACT",
    "ADD_ARTIFACT_ALIAS",     "ADD_ARTIFACT_TAG",       "REMOVE_ARTIFACT_TAG",
    "ADD_COLLECTION_TAG",     "REMOVE_COLLECTION_TAG",  "RUN_METRIC_THRESHOLD",
    "RUN_METRIC_CHANGE",      "RUN_METRIC_ZSCORE",      "RUN_STATE",
    "EVALUATION_FINISHED",    "TRAINING_JOB_FINISHED",  "TRAINING_JOB_FAILED",
    "TRAINING_JOB_CANCELLED", "TRACE_METRIC_THRESHOLD", "AGENT_TURN_ENDED",
};
static_assert(kEventTypeNames.size() == static_cast<std::size_t>(EventType::kAgentTurnEnded) + 1);

/// Returns the name that the API shows and templates render, such as `LINK_ARTIFACT`.
std::string_view textOf(EventType type);
/// Parses an event type, ignoring case. Accepts the older names of some types (`LINK_MODEL`,
/// `RUN_METRIC`).
std::optional<EventType> eventTypeOf(std::string_view text);

/// The resources that an event concerns. An id that does not apply is empty. All events belong to
/// the one organization of the deployment; an event in a registry belongs to no team.
struct Subject {
  std::string team_id = {};
  std::string project_id = {};
  std::string registry_id = {};
  std::string collection_id = {};
  std::optional<std::int64_t> artifact_id = {};  ///< number of the version: `art_<number>`
  std::string run_id = {};                       ///< the run's id within its project
};

/// An event to append to the outbox.
struct NewEvent {
  EventType type = EventType::kCreateArtifact;
  Subject subject = {};
  std::string author_id = {};  ///< the user; empty if the server made the change
  std::string author = {};     ///< the user's name at the time of the event
  std::string data = "{}";     ///< JSON object with the data for templates and filters, as of now
  /// Groups the events that one change causes in several places; an automation runs for only one
  /// event of the group. Empty if the event has no group.
  std::string change_id = {};
};

/// A stored event.
struct Event : NewEvent {
  std::string id;             ///< `evt_…`
  std::int64_t position = 0;  ///< position in the order of all events, from 1, without gaps
  Timestamp time;
};

/// The filter of a list of events; unset members match every event.
struct EventFilter {
  std::optional<EventType> type = {};
  std::optional<std::string> team_id = {};
  std::optional<std::string> project_id = {};
  std::optional<std::string> registry_id = {};
  std::optional<std::string> collection_id = {};
  std::optional<std::string> run_id = {};
  std::optional<Timestamp> since = {};
};

}  // namespace spindle::events
