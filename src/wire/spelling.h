#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spindle::wire {

/// The spelling of names that contain a product word. Spindle uses neutral names internally. Only
/// this area knows the vendor's spelling (tracing.md §0.1); requests and responses are translated
/// with its functions.
///
/// All functions are pure and thread-safe. Returned views point to static storage or into the
/// argument.
enum class Spelling { kNeutral, kVendor };

/// Translates the neutral name of a record member, query parameter or header (X-Svc-Trace-Id) to
/// the given spelling. Returns names with only one spelling unchanged.
std::string_view memberFor(Spelling spelling, std::string_view neutral);

/// Returns the neutral form of a field path of a query, sort key or column list:
/// `summary.svc.status`, `attributes.svc.x`, `feedback.[svc.note.1].payload.note`, `svc_user_id`.
std::string neutralField(std::string_view path);

/// Translates a feedback type such as `svc.note.1`. Returns other types unchanged.
std::string neutralFeedbackType(std::string_view type);
std::string feedbackTypeFor(Spelling spelling, std::string_view neutral);

/// Translates the name of an op that the server itself records, such as `svc.completions_create`.
/// Returns other names unchanged.
std::string_view neutralOpName(std::string_view name);
std::string_view opNameFor(Spelling spelling, std::string_view neutral);

/// Returns the neutral form of an OpenTelemetry attribute key: prefix `svc.` for attributes of the
/// product, `svcp.` for attributes of the platform. Returns nothing if the key has only one
/// spelling.
std::optional<std::string> neutralAttribute(std::string_view key);

/// Returns true for a header whose value is an API key, such as `svcp-api-key`. Only some routes
/// accept these headers.
bool isKeyHeader(std::string_view name);

/// Returns the member of `summary` and `attributes` that belongs to the platform.
std::string_view platformKey(Spelling spelling);
bool isPlatformKey(std::string_view name);
/// Translates the members of `summary` and `attributes` that have two spellings: platformKey() and
/// `_svc_eval_meta`. All other members are the user's own; they are returned unchanged.
std::string_view neutralPlatformMember(std::string_view name);
std::string_view platformMemberFor(Spelling spelling, std::string_view neutral);

/// The URI scheme of a reference.
enum class RefScheme {
  kNone,
  kExternal,  ///< svc:///entity/project/…
  kInternal,  ///< svc-trace-internal:///<project>/…
  kPrivate,   ///< svc-private://///…
  kArtifact,  ///< svc-artifact:///…
};

struct SplitRef {
  RefScheme scheme = RefScheme::kNone;
  Spelling spelling = Spelling::kNeutral;
  std::string_view rest;  ///< the text after the scheme and its slashes
};

/// Splits a text into its reference scheme and the rest. Checks only the start of the text; the
/// scheme is kNone if the text is no reference.
SplitRef splitRef(std::string_view text);
/// Returns the scheme with its slashes: `svc:///`.
std::string_view schemeText(RefScheme scheme, Spelling spelling);

/// Returns true for `svc_type`: the member that names the type of an object value whose content is
/// in files (ops and custom objects).
bool isValueTypeMember(std::string_view name);
/// Returns the type of such a value.
std::string_view customValueType(Spelling spelling);
/// Returns the type of such a value that is a media file; SDKs read it back as content.
std::string_view contentType(Spelling spelling);

}  // namespace spindle::wire
