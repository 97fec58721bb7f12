#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agents/ingest/op_placeholders.h"
#include "agents/ingest/sampler.h"
#include "agents/store/span_sink.h"
#include "base/core/metrics.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "objects/values/ref_conversion.h"
#include "otlp/export_response.h"
#include "otlp/span.h"
#include "tracing/calls/call_query.h"
#include "tracing/ingest/ingest_budget.h"
#include "tracing/ingest/stored_payload.h"
#include "wire/spelling.h"

namespace spindle::identity {
class Access;
}
namespace spindle::tracing {
class CallStore;
}

namespace spindle::agents {

/// Dependencies of the ingestion of spans. All must outlive it and are thread-safe.
struct OtlpServices {
  identity::Access& access;
  SpanSink& spans;
  tracing::CallStore& calls;
  OpPlaceholders& ops;
  const Sampler& sampler;
  Counter& sampled_out;  ///< spans that sampling dropped, or would have
  /// Returns the retention of a project's calls and spans in days; nothing means unlimited.
  std::function<Result<std::optional<std::int64_t>>(std::string_view project_id)> retention_days;
  /// Returns the projects that a user may name in references.
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
  /// Returns the store for media of a project's spans.
  std::function<std::unique_ptr<tracing::MediaStore>(
      std::string_view user_id, const tracing::ProjectScope& project, wire::Spelling spelling)>
      media_store;
  const Clock& clock;
  /// Limits of the stored size of one request.
  tracing::IngestLimits limits = {};
};

/// The form in which the spans of a request are stored.
enum class OtlpTarget {
  kCalls,
  kRows,  ///< rows of the agent views
  kBoth,  ///< each span in both forms, or in neither
};

/// The sender of spans and their destination.
struct OtlpSender {
  std::string_view user_id;
  wire::Spelling spelling = wire::Spelling::kNeutral;
  std::string_view project;  ///< `entity/project` for spans whose resource names none; may be empty
  OtlpTarget target = OtlpTarget::kRows;
};

/// Stores the spans of a request, project by project, and blocks until they are on disk. Invalid
/// spans and spans of projects that the sender may not write to are rejected; the others are
/// stored. `request` is consumed. A large resource is stored once per project, whatever the number
/// of its spans.
/// @return kInvalidArgument if no span names a project; kNotFound or kPermissionDenied if the
/// sender may write to none of the projects; kTooLarge, with nothing stored, for a request that
/// would exceed the limits; the errors of the stores.
Result<otlp::Rejections> ingestExport(const OtlpServices& services,
                                      const OtlpSender& sender,
                                      otlp::ExportRequest& request);

}  // namespace spindle::agents
