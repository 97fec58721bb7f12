#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace spindle::events {

/// Everything that an automation can wait for.
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
  kTraceMetricThreshold,
  kAgentTurnEnded,  ///< told to the server itself, for scoring; no automation waits for it
};

/// `LINK_ARTIFACT` and so on: what the API shows and templates render.
std::string_view textOf(EventType type);
/// Matched without regard to case; older spellings of the same events (`LINK_MODEL`, `RUN_METRIC`)
/// are understood.
std::optional<EventType> eventTypeOf(std::string_view text);

/// What an event is about. An id that does not apply is empty. Everything belongs to the one
/// organization of the deployment; what happens in a registry belongs to no team.
struct Subject {
  std::string team_id = {};
  std::string project_id = {};
  std::string registry_id = {};
  std::string collection_id = {};
  std::optional<std::int64_t> artifact_id = {};  ///< number of the version: `art_<number>`
  std::string run_id = {};                       ///< as the project names it
};

/// Something that is about to have happened.
struct NewEvent {
  EventType type = EventType::kCreateArtifact;
  Subject subject = {};
  std::string author_id = {};  ///< the user; empty: the server itself
  std::string author = {};     ///< its name at that time
  std::string data = "{}";     ///< a JSON object: what templates and filters need, as it was then
  /// Ties together events that are one change seen in several places; an automation answers only
  /// one of them. Empty: the event stands alone.
  std::string change_id = {};
};

/// Something that has happened.
struct Event {
  std::string id;             ///< `evt_…`
  std::int64_t position = 0;  ///< its place in the order of all events, from 1, without gaps
  EventType type = EventType::kCreateArtifact;
  Subject subject;
  std::string author_id;
  std::string author;
  std::string data;
  std::string change_id;
  Timestamp time;
};

/// Which events a list shows; what is not set does not matter.
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
