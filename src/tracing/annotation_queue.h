#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace spindle::tracing {

/// A list of calls that people look at and judge. References are in their internal form.
struct AnnotationQueue {
  std::string id;
  std::string name;
  std::string description;
  std::vector<std::string> scorer_refs;
  Timestamp created_at;
  std::string created_by;
  Timestamp updated_at;
  std::optional<Timestamp> deleted_at = {};
};

struct NewAnnotationQueue {
  std::string name;
  std::string description;
  std::vector<std::string> scorer_refs;
  std::string created_by;
};

/// What is not set stays.
struct AnnotationQueueChange {
  std::optional<std::string> name = {};
  std::optional<std::string> description = {};
  std::optional<std::vector<std::string>> scorer_refs = {};
};

/// How far somebody is with an item.
enum class AnnotationState { kUnstarted, kInProgress, kCompleted, kSkipped };

/// `unstarted`, `in_progress`, `completed`, `skipped`.
std::string_view textOf(AnnotationState state);
std::optional<AnnotationState> annotationStateOf(std::string_view text);

/// Whether an annotator whose state is `stored` (empty: none yet) has to be noted anew to be in the
/// state `wanted`. @return kInvalidArgument for a move that is not allowed.
Result<bool> movesTo(std::optional<AnnotationState> stored, AnnotationState wanted);

/// A call as a queue keeps it.
struct QueuedCall {
  std::string id;
  Timestamp started_at;
  std::optional<Timestamp> ended_at = {};
  std::string op_name;
  std::string trace_id;
};

/// A call in a queue, with the newest state that anybody has noted.
struct AnnotationItem {
  std::string id;
  std::string queue_id;
  QueuedCall call;
  std::vector<std::string> display_fields;
  std::optional<std::string> added_by = {};
  AnnotationState state = AnnotationState::kUnstarted;
  std::optional<std::string> annotator_id = {};
  Timestamp created_at;
  std::string created_by;
  Timestamp updated_at;
  std::optional<std::int64_t> position = {};  ///< in the whole queue, from 1
};

struct AddedItems {
  std::int64_t added = 0;
  std::int64_t duplicates = 0;  ///< were there already
};

struct AnnotationItemFilter {
  std::optional<std::string> id = {};
  std::optional<std::string> call_id = {};
  std::optional<std::string> call_op_name = {};
  std::optional<std::string> call_trace_id = {};
  std::optional<std::string> added_by = {};
  std::optional<std::vector<AnnotationState>> states = {};
};

struct AnnotationSort {
  std::string field;
  bool descending = false;
};

/// In which order, and which part.
struct AnnotationPage {
  std::vector<AnnotationSort> sort_by = {};
  std::optional<std::int64_t> limit = {};
  std::int64_t offset = 0;
};

struct AnnotationQueueStats {
  std::string queue_id;
  std::int64_t total_items = 0;
  std::int64_t completed_items = 0;  ///< that somebody has completed or skipped
};

}  // namespace spindle::tracing
