#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agents/otlp_ops.h"
#include "agents/sampling.h"
#include "agents/span_sink.h"
#include "base/metrics.h"
#include "base/result.h"
#include "base/time.h"
#include "objects/ref_conversion.h"
#include "otlp/export_response.h"
#include "otlp/span.h"
#include "tracing/call_selection.h"
#include "tracing/intake_budget.h"
#include "tracing/payload_json.h"
#include "wire/spelling.h"

namespace spindle::identity {
class Access;
}
namespace spindle::tracing {
class CallStore;
}

namespace spindle::agents {

/// What taking spans in works with. Everything must outlive it and is thread-safe.
struct OtlpServices {
  identity::Access& access;
  SpanSink& spans;
  tracing::CallStore& calls;
  OpPlaceholders& ops;
  const Sampler& sampler;
  Counter& sampled_out;  ///< spans that sampling dropped, or would have
  /// For how many days a project keeps its calls and spans; none for ever.
  std::function<Result<std::optional<std::int64_t>>(std::string_view project_id)> retention_days;
  /// The projects that a user may name in references.
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
  /// Where the media of a project's spans go.
  std::function<std::unique_ptr<tracing::MediaKeeper>(
      std::string_view user_id, const tracing::ProjectScope& project, wire::Spelling spelling)>
      media_keeper;
  const Clock& clock;
  /// What one request may become.
  tracing::IntakeLimits limits = {};
};

/// What becomes of the spans of a request.
enum class OtlpTarget {
  kCalls,
  kRows,  ///< of the agent views
  kBoth,  ///< each span in both places, or in none
};

/// Who sends spans, and where to.
struct OtlpSender {
  std::string_view user_id;
  wire::Spelling spelling = wire::Spelling::kNeutral;
  std::string_view project;  ///< `entity/project` for spans whose resource names none; may be empty
  OtlpTarget target = OtlpTarget::kRows;
};

/// Stores the spans of a request, on disk when it returns: by project, each with one write. A span
/// that cannot be taken, and those of a project that the sender may not write to, are rejected
/// while the others are stored. Blocks. `request` is used up.
/// The resource of spans is stored once per project, whatever the number of its spans.
/// @return kInvalidArgument when no span says where it belongs; kNotFound or kPermissionDenied when
/// none of the projects is the sender's to write to; kTooLarge, with nothing stored, for a request
/// that would exceed the limits; the errors of the stores.
Result<otlp::Rejections> takeExport(const OtlpServices& services,
                                    const OtlpSender& sender,
                                    otlp::ExportRequest& request);

}  // namespace spindle::agents
