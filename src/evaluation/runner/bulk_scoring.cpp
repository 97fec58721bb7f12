#include "evaluation/runner/bulk_scoring.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "base/core/log.h"
#include "base/core/mutex.h"
#include "evaluation/runner/call_scoring.h"
#include "json/writer.h"
#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::evaluation {
namespace {

constexpr Logger kBulkScoringLog("evaluation");
constexpr std::size_t kMaxScorers = 20;

struct ScoringParameters {
  std::vector<std::string> scorer_refs;
};

const schema::Codec<ScoringParameters>& scoringParametersCodec() {
  static const schema::Codec<ScoringParameters> codec =
      schema::Record<ScoringParameters>("BulkScore", schema::Extra::kForbid)
          .required("scorer_refs", &ScoringParameters::scorer_refs,
                    schema::list(schema::string({.max_length = 1024}),
                                 {.min_items = 1, .max_items = kMaxScorers}))
          .codec();
  return codec;
}

/// The calls of a batch, taken by several threads, and what became of them.
class ScoredCalls {
 public:
  explicit ScoredCalls(const std::vector<std::string>& ids) : ids_(ids) {}

  /// Returns the next call, or null at the end and after an error.
  const std::string* next() {
    const MutexLock lock(mutex_);
    return error_ || used_ == ids_.size() ? nullptr : &ids_[used_++];
  }
  void add(const Result<void>& scored) {
    if (scored) return;
    // A call that was deleted in the meantime, or whose content cannot be scored, fails alone.
    const bool of_call =
        scored.error().code() == ErrorCode::kNotFound || isContentError(scored.error());
    const MutexLock lock(mutex_);
    if (of_call) {
      ++failed_;
    } else if (!error_) {
      error_ = scored.error();
    }
  }
  Result<tracing::BulkResult> result() {
    const MutexLock lock(mutex_);
    if (error_) return *error_;
    return tracing::BulkResult{failed_};
  }

 private:
  const std::vector<std::string>& ids_;
  Mutex mutex_;
  std::size_t used_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::int64_t failed_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::optional<Error> error_ SPINDLE_GUARDED_BY(mutex_);
};

/// Scores a call and converts exceptions to errors: an exception must not leave a thread.
Result<void> scoreGuarded(const ScoreContext& context,
                          const std::vector<NamedScorer>& scorers,
                          const tracing::BulkWork& work,
                          const std::string& call_id) {
  try {
    return scoreCall(context, scorers, work.job_id, call_id, true, work.stop);
  } catch (const std::exception& problem) {
    kBulkScoringLog.error("score_threw", {{"job", work.job_id}, {"reason", problem.what()}});
    return Error::internal("Internal server error.");
  }
}

RunScope runScopeOf(const tracing::BulkScope& scope) {
  return {scope.project, scope.user_id, wire::Spelling::kNeutral, scope.key_id};
}

}  // namespace

Result<std::vector<NamedScorer>> BulkScoring::scorersOf(const tracing::BulkScope& scope,
                                                        std::string_view parameters) const {
  const ScoringParameters wanted =
      TRY(schema::parse(scoringParametersCodec(), std::string(parameters), "parameters"));
  EvaluationObjects objects(ports_.objects, scope.user_id);
  return objects.scorers(wanted.scorer_refs,
                         {ports_.model, scope.project, scope.user_id, scope.key_id});
}

Result<std::string> BulkScoring::prepare(const tracing::BulkScope& scope,
                                         std::string_view parameters) const {
  const std::vector<NamedScorer> scorers = TRY(scorersOf(scope, parameters));
  // Later versions of a scorer do not change the job.
  std::string pinned;
  json::Writer out(pinned);
  out.beginObject().key("scorer_refs").beginArray();
  for (const NamedScorer& scorer : scorers) out.string(scorer.ref);
  out.endArray().endObject();
  return pinned;
}

Result<tracing::BulkResult> BulkScoring::apply(const tracing::BulkWork& work,
                                               const std::vector<std::string>& call_ids) const {
  const std::vector<NamedScorer> scorers = TRY(scorersOf(work.scope, work.parameters));
  const RunScope scope = runScopeOf(work.scope);
  const ScoreContext context{ports_.recorder, ports_.calls, ports_.clock, scope};
  ScoredCalls scored(call_ids);
  const auto take_calls = [&] {
    while (!work.stop.stop_requested()) {
      const std::string* call_id = scored.next();
      if (call_id == nullptr) return;
      scored.add(scoreGuarded(context, scorers, work, *call_id));
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(options_.concurrency, call_ids.size()); ++i)
      threads.emplace_back(take_calls);
  }
  if (work.stop.stop_requested()) return Error::unavailable("Stopped.");
  return scored.result();
}

}  // namespace spindle::evaluation
