#include "agents/ingest/otlp_ingest.h"

#include <algorithm>
#include <list>
#include <unordered_set>
#include <utility>
#include <vector>

#include "agents/ingest/otlp_text_cleaning.h"
#include "agents/ingest/span_to_call.h"
#include "agents/ingest/span_to_row.h"
#include "agents/store/span_size.h"
#include "base/crypto/crypto.h"
#include "identity/access/access.h"
#include "identity/types/names.h"
#include "otlp/span_tree.h"
#include "tracing/store/call_store.h"

namespace spindle::agents {
namespace {

using otlp::Attributes, otlp::ExportRequest, otlp::Rejections, otlp::ResourceSpans, otlp::Span;

constexpr std::string_view kSampleRate = "svc.ingest_sample_rate";
/// Limit of the attributes of one resource as JSON. Responses repeat the resource with every span.
constexpr std::size_t kMaxResourceBytes = 256UL * 1024;
/// Maximum length of a run's name, which is repeated in every row.
constexpr std::size_t kMaxRunName = 256;
/// Stored size of the op that represents a span name.
constexpr std::size_t kOpBytes = 1024;
/// Maximum size of an id; OTLP has 16 bytes for traces and 8 for spans.
constexpr std::size_t kMaxIdBytes = 32;
/// Approximate size of one write to the store. A large request needs several writes.
constexpr std::size_t kChangeBytes = 16UL << 20;
constexpr std::string_view kNoProject =
    "the resource has no svcp.entity and svcp.project, and the request no header project_id";

std::string_view textAt(const Attributes& attributes, std::string_view key) {
  for (const otlp::Member& attribute : attributes) {
    if (attribute.name == key && attribute.value.asText() != nullptr)
      return *attribute.value.asText();
  }
  return {};
}

/// Returns the text of the attribute `svcp.<name>`, else of `svc.<name>`.
std::string_view platformText(const Attributes& attributes, std::string_view name) {
  const std::string_view text = textAt(attributes, "svcp." + std::string(name));
  return text.empty() ? textAt(attributes, "svc." + std::string(name)) : text;
}

void neutralize(Attributes& attributes, otlp::TextArena& texts) {
  for (otlp::Member& attribute : attributes) {
    if (std::optional<std::string> neutral = wire::neutralAttribute(attribute.name))
      attribute.name = texts.keep(*std::move(neutral));
  }
}

void neutralize(ExportRequest& request) {
  otlp::TextArena& texts = *request.texts;
  for (ResourceSpans& resource : request.resource_spans) {
    neutralize(resource.attributes, texts);
    for (otlp::ScopeSpans& scope : resource.scope_spans) {
      for (Span& span : scope.spans) {
        neutralize(span.attributes, texts);
        for (otlp::Event& event : span.events) neutralize(event.attributes, texts);
        for (otlp::Link& link : span.links) neutralize(link.attributes, texts);
      }
    }
  }
}

std::size_t spansOf(const ResourceSpans& resource) {
  std::size_t count = 0;
  for (const otlp::ScopeSpans& scope : resource.scope_spans) count += scope.spans.size();
  return count;
}

/// Decides which rows of a request sampling drops. Traces of evaluations are never dropped.
class SamplingDecision {
 public:
  SamplingDecision(const Sampler& sampler, Counter& sampled_out, const ExportRequest& request)
      : sampler_(sampler), sampled_out_(sampled_out) {
    if (!sampler_.active()) return;
    for (const ResourceSpans& resource : request.resource_spans) {
      for (const otlp::ScopeSpans& scope : resource.scope_spans) {
        for (const Span& span : scope.spans) {
          if (isEvaluated(span)) evaluated_.insert(toHex(span.trace_id));
        }
      }
    }
  }

  /// Returns true if the row must be stored. Adds the sample rate to rows that sampling selected.
  bool keeps(AgentSpan& row) const {
    if (!sampler_.active() || Sampler::isExempt(row.trace_id) || evaluated_.contains(row.trace_id))
      return true;
    const bool kept = sampler_.keeps(row.trace_id);
    if (!kept) sampled_out_.add();
    if (sampler_.dryRun()) return true;
    if (kept) row.custom.reals.emplace(kSampleRate, sampler_.rate());
    return kept;
  }

 private:
  static bool isEvaluated(const Span& span) {
    return std::any_of(
        span.attributes.begin(), span.attributes.end(), [](const otlp::Member& attribute) {
          return attribute.name == "svc.eval" || attribute.name.starts_with("svc.eval.");
        });
  }

  const Sampler& sampler_;
  Counter& sampled_out_;
  std::unordered_set<std::string> evaluated_;
};

/// One project of a request with the data to store in it.
struct Destination {
  tracing::ProjectScope scope;
  std::optional<Error> refusal;
  std::optional<std::int64_t> retention_days;
  std::unique_ptr<objects::RefProjects> projects;
  std::unique_ptr<tracing::MediaStore> media;
  std::vector<AgentSpan> rows;
  std::vector<tracing::CallPart> parts;
  std::vector<std::string> op_names;  ///< one per item of `parts`
  std::unordered_set<std::string> ops;
};

/// Data that the spans of one resource share.
struct ResourceContext {
  Destination& to;
  otlp::ResourceTree tree;
  std::string dump;  ///< if the resource is stored inside each span; else empty
  tracing::OtelResourcePtr of_rows = {};
  tracing::OtelResourcePtr of_calls = {};
  std::optional<std::string> run_id = {};
};

/// Calls `write` with batches of items of about kChangeBytes.
template <class Item, class Size, class Write>
Result<void> writeInBatches(std::vector<Item> items, const Size& size, const Write& write) {
  std::vector<Item> batch;
  std::size_t bytes = 0;
  for (Item& item : items) {
    bytes += size(item);
    batch.push_back(std::move(item));
    if (bytes < kChangeBytes) continue;
    TRY(write(std::exchange(batch, {})));
    bytes = 0;
  }
  return batch.empty() ? Result<void>() : write(std::move(batch));
}

/// Returns true if the same request can succeed later. An exporter sends a failed request again,
/// but not rejected spans.
bool isTransient(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kRateLimited:
    case ErrorCode::kUnavailable:
    case ErrorCode::kStorageFull:
    case ErrorCode::kTimeout:
    case ErrorCode::kInternal:
      return true;
    default:
      return false;
  }
}

/// Ingests one request. Used once, by one thread.
class ExportIngester {
 public:
  ExportIngester(const OtlpServices& services, const OtlpSender& sender, ExportRequest& request)
      : services_(services),
        sender_(sender),
        request_(request),
        now_(services.clock.now()),
        sampling_(services.sampler, services.sampled_out, request),
        budget_(services.limits, request.body_bytes) {}

  Result<Rejections> ingest() {
    std::size_t unrouted = 0;
    if (request_.resource_spans.empty() && !sender_.project.empty())
      (void)destinationFor(std::string(sender_.project));
    for (const ResourceSpans& resource : request_.resource_spans) {
      const std::string project = routeOf(resource);
      if (project.empty()) {
        unrouted += spansOf(resource);
        continue;
      }
      Destination& to = destinationFor(project);
      if (to.refusal) {
        if (isTransient(*to.refusal)) return *to.refusal;
        rejections_.add(to.refusal->message() + " (" + project + ")", spansOf(resource));
      } else
        TRY(ingestResource(resource, to));
    }
    if (const Error* refusal = refusalOfAll()) return *refusal;
    if (unrouted > 0 && destinations_.empty())
      return Error::invalidArgument("No project to store spans in: " + std::string(kNoProject) +
                                    ".");
    if (unrouted > 0) rejections_.add("No project: " + std::string(kNoProject), unrouted);
    TRY(store());
    return std::move(rejections_);
  }

 private:
  bool wantsRows() const { return sender_.target != OtlpTarget::kCalls; }
  bool wantsCalls() const { return sender_.target != OtlpTarget::kRows; }

  std::string routeOf(const ResourceSpans& resource) const {
    const std::string_view entity = platformText(resource.attributes, "entity");
    const std::string_view project = platformText(resource.attributes, "project");
    if (entity.empty() || project.empty()) return std::string(sender_.project);
    return std::string(entity) + "/" + std::string(project);
  }

  Destination& destinationFor(const std::string& project) {
    for (Destination& known : destinations_) {
      if (known.scope.name == project) return known;
    }
    Destination& made = destinations_.emplace_back();
    made.scope.name = project;
    if (Result<void> opened = open(made); !opened) made.refusal = std::move(opened).error();
    return made;
  }

  Result<void> open(Destination& made) {
    const identity::ProjectName name = TRY(identity::splitProjectName(made.scope.name));
    const identity::ProjectAccess access =
        TRY(services_.access.writeProject(sender_.user_id, name.entity, name.project));
    made.scope.id = access.project_id;
    const std::optional<std::int64_t> days = TRY(services_.retention_days(made.scope.id));
    made.retention_days = days;
    made.projects = services_.ref_projects(sender_.user_id);
    made.media = services_.media_store(sender_.user_id, made.scope, sender_.spelling);
    return {};
  }

  /// Returns the error of the first project if the sender may write to none of them.
  const Error* refusalOfAll() const {
    const auto refused = [](const Destination& to) { return to.refusal.has_value(); };
    const bool all =
        !destinations_.empty() && std::all_of(destinations_.begin(), destinations_.end(), refused);
    return all ? &*destinations_.front().refusal : nullptr;
  }

  Result<void> ingestResource(const ResourceSpans& resource, Destination& to) {
    Result<otlp::ResourceTree> tree = otlp::treeOf(resource, *request_.texts);
    if (!tree) {
      rejections_.add(tree.error().message(), spansOf(resource));
      return {};
    }
    const TextPorts texts{*to.projects, *to.media, *request_.texts};
    if (Result<void> clean = cleanTexts(tree->attributes.root(), texts); !clean) {
      if (isTransient(clean.error())) return clean;
      rejections_.add(clean.error().message(), spansOf(resource));
      return {};
    }
    ResourceContext context{to, *std::move(tree), {}};
    if (Result<void> dumped = dumpResource(context); !dumped) {
      const ErrorCode code = dumped.error().code();
      if (code != ErrorCode::kInvalidArgument && code != ErrorCode::kUnprocessable) return dumped;
      rejections_.add(dumped.error().message(), spansOf(resource));
      return {};
    }
    const std::string_view run = platformText(resource.attributes, "svc_run_id");
    if (!run.empty() && run.size() <= kMaxRunName &&
        run.find_first_of("/:") == std::string_view::npos)
      context.run_id = to.scope.name + "/" + std::string(run);
    for (const otlp::ScopeSpans& scope : resource.scope_spans) {
      for (const Span& span : scope.spans) {
        TRY(ingestSpan(span, context));
      }
    }
    return {};
  }

  /// Prepares the resource for storage: inside each span if it is small, else as a row of its own.
  /// @return kInvalidArgument or kUnprocessable for a resource that cannot be stored; kTooLarge
  /// beyond the budget of the request.
  Result<void> dumpResource(ResourceContext& context) {
    std::string dump = otlp::dumpResource(context.tree);
    if (dump.size() > kMaxResourceBytes) {
      return Error::invalidArgument("The attributes of a resource exceed " +
                                    std::to_string(kMaxResourceBytes) + " bytes");
    }
    if (dump.size() <= tracing::kMaxInlineResource) {
      context.dump = std::move(dump);
      return {};
    }
    if (wantsCalls()) {
      const tracing::PayloadPorts ports{*context.to.projects, *context.to.media};
      Result<tracing::StoredPayload> payload = tracing::storePayload(dump, {.redact = true}, ports);
      if (!payload && payload.error().code() == ErrorCode::kTooLarge)
        return Error(ErrorCode::kUnprocessable, payload.error().message());
      if (!payload) return std::move(payload).error();
      context.of_calls = tracing::makeOtelResource(std::move(payload->json), payload->bytes, now_);
      TRY(budget_.add(context.of_calls->json.size()));
    }
    if (!wantsRows()) return {};
    context.of_rows = tracing::makeOtelResource(std::move(dump), 0, now_);
    return budget_.add(context.of_rows->json.size());
  }

  /// Ingests a span or rejects it. @return only errors that the span did not cause.
  Result<void> ingestSpan(const Span& span, ResourceContext& context) {
    if (std::max({span.trace_id.size(), span.span_id.size(), span.parent_span_id.size()}) >
        kMaxIdBytes) {
      rejections_.add("A span has an id of more than " + std::to_string(kMaxIdBytes) + " bytes");
      return {};
    }
    Result<otlp::SpanTree> tree = otlp::treeOf(span, *request_.texts);
    if (!tree) {
      reject(span, tree.error().message());
      return {};
    }
    if (Result<void> clean = cleanSpan(*tree, context.to); !clean) {
      if (clean.error().code() != ErrorCode::kInvalidArgument) return clean;
      rejectExtraction(span, clean.error().message(), "ValueError");
      return {};
    }
    std::string dump = otlp::dumpSpan(*tree, context.dump);
    std::optional<AgentSpan> row;
    if (wantsRows()) {
      Result<AgentSpan> made = rowOf(*tree);
      if (!made) {
        rejectExtraction(span, made.error().message(), made.error().message());
        return {};
      }
      row = *std::move(made);
    }
    if (wantsCalls()) {
      Result<tracing::CallPart> part = callPart(*tree, dump, context);
      if (!part) {
        const ErrorCode code = part.error().code();
        if (code != ErrorCode::kInvalidArgument && code != ErrorCode::kTooLarge)
          return std::move(part).error();
        reject(span, part.error().message());
        return {};
      }
      TRY(addPart(span, *std::move(part), context.to));
    }
    return row ? addRow(*std::move(row), std::move(dump), context) : Result<void>();
  }

  /// @return kTooLarge beyond the budget of the request.
  Result<void> addPart(const Span& span, tracing::CallPart part, Destination& to) {
    std::string name = callNameOf(span);
    const std::size_t op_bytes = to.ops.insert(name).second ? kOpBytes : 0;
    TRY(budget_.add(op_bytes + storedBytes(part)));
    to.op_names.push_back(std::move(name));
    to.parts.push_back(std::move(part));
    return {};
  }

  Result<void> cleanSpan(otlp::SpanTree& tree, const Destination& to) {
    const TextPorts texts{*to.projects, *to.media, *request_.texts};
    TRY(cleanTexts(tree.attributes.root(), texts));
    for (otlp::AttributeTree& event : tree.events) {
      TRY(cleanTexts(event.root(), texts));
    }
    for (otlp::AttributeTree& link : tree.links) {
      TRY(cleanTexts(link.root(), texts));
    }
    return {};
  }

  Result<tracing::CallPart> callPart(const otlp::SpanTree& tree,
                                     std::string_view dump,
                                     const ResourceContext& context) {
    const Destination& to = context.to;
    const tracing::PayloadPorts ports{*to.projects, *to.media};
    CallContext call{dump, context.of_calls};
    if (context.run_id) call.run_id = *context.run_id;
    return callOf(tree, call, {to.scope.name, sender_.user_id, to.retention_days, now_, ports});
  }

  /// @return kTooLarge beyond the budget of the request.
  Result<void> addRow(AgentSpan row, std::string dump, ResourceContext& context) {
    if (!sampling_.keeps(row)) return {};
    row.svc_user_id = sender_.user_id;
    if (context.run_id) row.svc_run_id = *context.run_id;
    row.raw_span_dump = std::move(dump);
    row.resource = context.of_rows;
    if (row.resource) row.resource_digest = row.resource->digest;
    row.created_at = now_;
    row.expire_at = tracing::expiryOf(row.started_at, context.to.retention_days);
    TRY(budget_.add(storedBytes(row)));
    context.to.rows.push_back(std::move(row));
    return {};
  }

  void reject(const Span& span, std::string_view reason) {
    if (!wantsCalls()) {
      rejections_.add(std::string(reason));
      return;
    }
    rejections_.add("Rejected span (name='" + std::string(span.name) + "' trace_id='" +
                    toHex(span.trace_id) + "' span_id='" + toHex(span.span_id) +
                    "'): " + std::string(reason));
  }

  /// Rejects a span. For errors other than attribute conflicts, the agents endpoint names only the
  /// class of the error.
  void rejectExtraction(const Span& span, std::string_view reason, std::string_view error_class) {
    if (wantsCalls()) {
      reject(span, reason);
      return;
    }
    rejections_.add("Extraction failed for span " + toHex(span.span_id) + ": " +
                    std::string(error_class));
  }

  Result<void> store() {
    for (Destination& to : destinations_) {
      TRY(setOps(to));
      TRY(writeInBatches(
          std::move(to.rows), [](const AgentSpan& row) { return storedBytes(row); },
          [&](std::vector<AgentSpan> batch) {
            return services_.spans.write(to.scope.id, std::move(batch));
          }));
      TRY(writeInBatches(
          std::move(to.parts), [](const tracing::CallPart& part) { return storedBytes(part); },
          [&](std::vector<tracing::CallPart> batch) {
            return services_.calls.write(to.scope.id, std::move(batch));
          }));
    }
    return {};
  }

  /// Sets the ops of the calls. Ops are published here, because only now the request will certainly
  /// be stored.
  Result<void> setOps(Destination& to) {
    for (std::size_t i = 0; i < to.parts.size(); ++i) {
      const std::string op =
          TRY(services_.ops.refFor(to.scope.id, to.op_names[i], sender_.user_id));
      setOp(to.parts[i], op);
    }
    return {};
  }

  const OtlpServices& services_;
  const OtlpSender& sender_;
  ExportRequest& request_;
  const Timestamp now_;
  const SamplingDecision sampling_;
  tracing::IngestBudget budget_;
  std::list<Destination> destinations_;  // a list, because contexts hold references to its items
  Rejections rejections_;
};

}  // namespace

Result<Rejections> ingestExport(const OtlpServices& services,
                                const OtlpSender& sender,
                                ExportRequest& request) {
  neutralize(request);
  return ExportIngester(services, sender, request).ingest();
}

}  // namespace spindle::agents
