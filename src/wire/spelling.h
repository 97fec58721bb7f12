#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spindle::wire {

/// How the names that carry a product word are written. Inside Spindle everything is neutral; this
/// module alone knows the other spelling (tracing.md §0.1) and translates at the edge.
///
/// All functions are pure and thread-safe. Views are of static storage or of the argument.
enum class Spelling { kNeutral, kVendor };

/// A record member, a query parameter or a header (X-Svc-Trace-Id) of a neutral name in a spelling;
/// names that have one spelling only come back as they are.
std::string_view memberFor(Spelling spelling, std::string_view neutral);

/// The neutral form of a field path as in queries, sort keys and column lists:
/// `summary.svc.status`, `attributes.svc.x`, `feedback.[svc.note.1].payload.note`, `svc_user_id`.
std::string neutralField(std::string_view path);

/// `svc.note.1` and so on; other types come back as they are.
std::string neutralFeedbackType(std::string_view type);
std::string feedbackTypeFor(Spelling spelling, std::string_view neutral);

/// Names of ops that the server itself records, `svc.completions_create`; others as they are.
std::string_view neutralOpName(std::string_view name);
std::string_view opNameFor(Spelling spelling, std::string_view neutral);

/// The neutral form of a key of an OpenTelemetry attribute: `svc.` begins those of the product,
/// `svcp.` those of the platform. Nothing when the key has one spelling only.
std::optional<std::string> neutralAttribute(std::string_view key);

/// True for a header that carries an API key by itself, where a route takes such: `svcp-api-key`.
bool isKeyHeader(std::string_view name);

/// The member of `summary` and `attributes` that belongs to the platform.
std::string_view payloadKey(Spelling spelling);
bool isPayloadKey(std::string_view name);
/// The members of `summary` and `attributes` that have two spellings: the one above and
/// `_svc_eval_meta`. All other members are the user's own and come back as they are.
std::string_view neutralPayloadMember(std::string_view name);
std::string_view payloadMemberFor(Spelling spelling, std::string_view neutral);

/// Texts that are references.
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
  std::string_view rest;  ///< behind the scheme and its slashes
};

/// Looks at the beginning of a text only.
SplitRef splitRef(std::string_view text);
/// The scheme with its slashes: `svc:///`.
std::string_view schemeText(RefScheme scheme, Spelling spelling);

/// True for the member that names the kind of an object value whose content is in files (ops and
/// custom objects), `svc_type`.
bool isValueTypeMember(std::string_view name);
std::string_view customValueType(Spelling spelling);
/// The kind of such a value that is a media file: what SDKs read back as content.
std::string_view contentType(Spelling spelling);

}  // namespace spindle::wire
