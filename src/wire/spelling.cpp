#include "wire/spelling.h"

#include <algorithm>
#include <array>

#include "base/core/ascii.h"

namespace spindle::wire {
namespace {

struct Pair {
  std::string_view neutral;
  std::string_view vendor;
};

constexpr auto kMembers = std::to_array<Pair>({
    {"svc_user_id", "wb_user_id"},
    {"svc_username", "wb_username"},
    {"svc_run_id", "wb_run_id"},
    {"svc_run_step", "wb_run_step"},
    {"svc_run_step_end", "wb_run_step_end"},
    {"svc_user_ids", "wb_user_ids"},
    {"svc_run_ids", "wb_run_ids"},
    {"svc_ref", "weave_ref"},
    {"svc", "weave"},
    {"svc_type", "weave_type"},
    {"svc_call_id", "weave_call_id"},
    {"_svc", "_weave"},
    {"_svc_eval_meta", "_weave_eval_meta"},
    {"min_required_svc_python_version", "min_required_weave_python_version"},
    {"X-Svc-Trace-Id", "X-Weave-Trace-Id"},
    {"X-Svc-Client-Capabilities", "X-Weave-Client-Capabilities"},
    {"X-Svc-Retry-Id", "X-Weave-Retry-Id"},
    {"svc-api-key", "wandb-api-key"},
});

constexpr auto kPlatformMembers = std::to_array<Pair>({
    {"svc", "weave"},
    {"_svc_eval_meta", "_weave_eval_meta"},
});

constexpr auto kOpNames = std::to_array<Pair>({
    {"svc.completions_create", "weave.completions_create"},
    {"svc.image_generation_create", "weave.image_generation_create"},
});

constexpr Pair kFeedbackPrefix = {"svc.", "wandb."};
/// The feedback types without the prefix: complete names, and families that end in a dot.
constexpr auto kFeedbackKinds = std::to_array<std::string_view>(
    {"reaction.1", "note.1", "annotation.", "runnable.", "agent_monitor", "agent_user_feedback"});

constexpr auto kAttributePrefixes = std::to_array<Pair>({
    {"svc.", "weave."},
    {"svcp.", "wandb."},
});

/// In lower case.
constexpr auto kKeyHeaders =
    std::to_array<std::string_view>({"svcp-api-key", "svc-api-key", "wandb-api-key", "api-key"});

struct Scheme {
  RefScheme scheme;
  Pair text;
};

constexpr auto kSchemes = std::to_array<Scheme>({
    {RefScheme::kExternal, {"svc:///", "weave:///"}},
    {RefScheme::kInternal, {"svc-trace-internal:///", "weave-trace-internal:///"}},
    {RefScheme::kPrivate, {"svc-private://///", "weave-private://///"}},
    {RefScheme::kArtifact, {"svc-artifact:///", "wandb-artifact:///"}},
});

constexpr Pair kCustomValueType = {"CustomSvcType", "CustomWeaveType"};
constexpr Pair kValueTypeMember = {"svc_type", "weave_type"};
constexpr Pair kContentType = {"svc.type_wrappers.Content.content.Content",
                               "weave.type_wrappers.Content.content.Content"};

constexpr std::string_view kFeedbackField = "feedback.[";

std::string_view in(Spelling spelling, const Pair& pair) {
  return spelling == Spelling::kVendor ? pair.vendor : pair.neutral;
}

Spelling other(Spelling spelling) {
  return spelling == Spelling::kVendor ? Spelling::kNeutral : Spelling::kVendor;
}

template <std::size_t N>
std::string_view translate(const std::array<Pair, N>& pairs,
                           Spelling target,
                           std::string_view name) {
  for (const Pair& pair : pairs) {
    if (in(other(target), pair) == name) return in(target, pair);
  }
  return name;
}

bool isFeedbackKind(std::string_view kind) {
  for (const std::string_view known : kFeedbackKinds) {
    const bool family = known.ends_with('.');
    if (family ? kind.size() > known.size() && kind.starts_with(known) : kind == known) return true;
  }
  return false;
}

std::string translateFeedbackType(Spelling target, std::string_view type) {
  const std::string_view prefix = in(other(target), kFeedbackPrefix);
  if (!type.starts_with(prefix) || !isFeedbackKind(type.substr(prefix.size())))
    return std::string(type);
  return std::string(in(target, kFeedbackPrefix)).append(type.substr(prefix.size()));
}

/// Returns the end of the first part of a path: the first dot that is not escaped.
std::size_t partEnd(std::string_view path) {
  std::size_t at = path.find('.');
  while (at != std::string_view::npos && at > 0 && path[at - 1] == '\\')
    at = path.find('.', at + 1);
  return at == std::string_view::npos ? path.size() : at;
}

}  // namespace

std::string_view memberFor(Spelling spelling, std::string_view neutral) {
  return spelling == Spelling::kNeutral ? neutral : translate(kMembers, spelling, neutral);
}

std::string neutralField(std::string_view path) {
  if (path.starts_with(kFeedbackField)) {
    const std::string_view tail = path.substr(kFeedbackField.size());
    const std::size_t close = tail.find(']');
    if (close == std::string_view::npos) return std::string(path);
    return std::string(kFeedbackField)
        .append(translateFeedbackType(Spelling::kNeutral, tail.substr(0, close)))
        .append(tail.substr(close));
  }
  const std::size_t end = partEnd(path);
  const std::string_view column = path.substr(0, end);
  const std::string_view tail = path.substr(end);
  std::string out(translate(kMembers, Spelling::kNeutral, column));
  if (tail.empty() || (column != "summary" && column != "attributes")) return out.append(tail);
  const std::string_view inner = tail.substr(1);
  const std::size_t inner_end = partEnd(inner);
  return out.append(".")
      .append(translate(kPlatformMembers, Spelling::kNeutral, inner.substr(0, inner_end)))
      .append(inner.substr(inner_end));
}

std::optional<std::string> neutralAttribute(std::string_view key) {
  for (const Pair& prefix : kAttributePrefixes) {
    if (!key.starts_with(prefix.vendor)) continue;
    const std::string_view rest = key.substr(prefix.vendor.size());
    const std::size_t end = partEnd(rest);
    return std::string(prefix.neutral)
        .append(translate(kMembers, Spelling::kNeutral, rest.substr(0, end)))
        .append(rest.substr(end));
  }
  return std::nullopt;
}

bool isKeyHeader(std::string_view name) {
  return std::any_of(kKeyHeaders.begin(), kKeyHeaders.end(), [name](std::string_view known) {
    return std::equal(name.begin(), name.end(), known.begin(), known.end(),
                      [](char a, char b) { return toLower(a) == b; });
  });
}

std::string neutralFeedbackType(std::string_view type) {
  return translateFeedbackType(Spelling::kNeutral, type);
}

std::string feedbackTypeFor(Spelling spelling, std::string_view neutral) {
  return spelling == Spelling::kNeutral ? std::string(neutral)
                                        : translateFeedbackType(spelling, neutral);
}

std::string_view neutralOpName(std::string_view name) {
  return translate(kOpNames, Spelling::kNeutral, name);
}

std::string_view opNameFor(Spelling spelling, std::string_view neutral) {
  return spelling == Spelling::kNeutral ? neutral : translate(kOpNames, spelling, neutral);
}

std::string_view platformKey(Spelling spelling) { return in(spelling, kPlatformMembers.front()); }

bool isPlatformKey(std::string_view name) {
  return name == kPlatformMembers.front().neutral || name == kPlatformMembers.front().vendor;
}

std::string_view neutralPlatformMember(std::string_view name) {
  return translate(kPlatformMembers, Spelling::kNeutral, name);
}

std::string_view platformMemberFor(Spelling spelling, std::string_view neutral) {
  return spelling == Spelling::kNeutral ? neutral : translate(kPlatformMembers, spelling, neutral);
}

SplitRef splitRef(std::string_view text) {
  // Most texts are no references; the first letter rejects nearly all of them.
  if (text.empty() || (text.front() != 's' && text.front() != 'w')) return {};
  for (const Scheme& known : kSchemes) {
    for (const Spelling spelling : {Spelling::kNeutral, Spelling::kVendor}) {
      const std::string_view prefix = in(spelling, known.text);
      if (text.starts_with(prefix)) return {known.scheme, spelling, text.substr(prefix.size())};
    }
  }
  return {};
}

std::string_view schemeText(RefScheme scheme, Spelling spelling) {
  for (const Scheme& known : kSchemes) {
    if (known.scheme == scheme) return in(spelling, known.text);
  }
  return {};
}

bool isValueTypeMember(std::string_view name) {
  return name == kValueTypeMember.neutral || name == kValueTypeMember.vendor;
}

std::string_view customValueType(Spelling spelling) { return in(spelling, kCustomValueType); }

std::string_view contentType(Spelling spelling) { return in(spelling, kContentType); }

}  // namespace spindle::wire
