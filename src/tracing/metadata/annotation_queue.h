#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "query/expression.h"

namespace spindle::tracing {

/// A list of calls that people review. References are in their internal form.
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

/// A partial update; unset members stay unchanged.
struct AnnotationQueueChange {
  std::optional<std::string> name = {};
  std::optional<std::string> description = {};
  std::optional<std::vector<std::string>> scorer_refs = {};
};

/// The progress of an annotator with an item.
enum class AnnotationState { kUnstarted, kInProgress, kCompleted, kSkipped };

/// Returns `unstarted`, `in_progress`, `completed` or `skipped`.
std::string_view textOf(AnnotationState state);
std::optional<AnnotationState> annotationStateOf(std::string_view text);

/// Returns true if an annotator in state `stored` (empty: none yet) needs a new record to be in
/// state `wanted`. @return kInvalidArgument for a transition that is not allowed.
Result<bool> checkTransition(std::optional<AnnotationState> stored, AnnotationState wanted);

/// The members of a call that a queue stores.
struct QueuedCall {
  std::string call_id;
  Timestamp call_started_at;
  std::optional<Timestamp> call_ended_at = {};
  std::string call_op_name;
  std::string call_trace_id;
};

/// A call in a queue, with the newest state of any annotator.
struct AnnotationItem : QueuedCall {
  std::string id;
  std::string queue_id;
  std::vector<std::string> display_fields;
  std::optional<std::string> added_by = {};
  AnnotationState state = AnnotationState::kUnstarted;
  std::optional<std::string> annotator_id = {};
  Timestamp created_at;
  std::string created_by;
  Timestamp updated_at;
  std::optional<std::int64_t> position = {};  ///< in the whole queue, starting at 1
};

struct AddedItems {
  std::int64_t added = 0;
  std::int64_t duplicates = 0;  ///< were already in the queue
};

struct AnnotationItemFilter {
  std::optional<std::string> id = {};
  std::optional<std::string> call_id = {};
  std::optional<std::string> call_op_name = {};
  std::optional<std::string> call_trace_id = {};
  std::optional<std::string> added_by = {};
  std::optional<std::vector<AnnotationState>> states = {};
};

/// Sort order and page.
struct AnnotationPage {
  std::vector<query::SortKey> sort_by = {};
  std::optional<std::int64_t> limit = {};
  std::int64_t offset = 0;
};

struct AnnotationQueueStats {
  std::string queue_id;
  std::int64_t total_items = 0;
  std::int64_t completed_items = 0;  ///< completed or skipped by at least one annotator
};

}  // namespace spindle::tracing
