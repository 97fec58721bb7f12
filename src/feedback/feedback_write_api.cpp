#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "feedback/feedback_routes.h"
#include "http/router/route_group.h"
#include "identity/api/project_id_codec.h"
#include "identity/audit/audit_trail.h"
#include "query/codec.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::feedback {
namespace {

using http::Context;
using schema::Codec, schema::MapOf, schema::nullable, schema::Record, schema::string;

/// The members of Feedback that a client sets, and those that it sends in another form.
struct CreateBody : Feedback {
  std::string project_id;
  json::Text payload_object{"{}"};
  std::optional<std::string> own_id;
  MapOf<std::string> tag_reasons;
  MapOf<double> tag_confidences;
  MapOf<double> ratings;
  MapOf<std::string> rating_reasons;
  MapOf<double> rating_confidences;
  std::optional<std::string> sent_user_id;  ///< ignored; the caller's id is stored
};

struct ReplaceBody : CreateBody {
  std::string feedback_id;
};

struct BatchBody {
  std::vector<CreateBody> batch;
};

struct CreateReply {
  std::string id;
  Timestamp created_at;
  std::string svc_user_id;
  json::Text payload;
};

struct BatchReply {
  std::vector<CreateReply> res;
};

struct PurgeBody {
  std::string project_id;
  query::Query query;
};

struct Empty {};

Codec<MapOf<std::string>> textsCodec() { return schema::map(string()); }
Codec<MapOf<double>> numbersCodec() { return schema::map(schema::number()); }

template <class Body>
Record<Body> createRecord(const std::string& name) {
  const auto ref = nullable(string());
  const auto texts = textsCodec();
  const auto numbers = numbersCodec();
  Record<Body> record = identity::projectRecord<Body>(name);
  record.required("svc_ref", &Body::svc_ref, string(), "The target: a call, an object, …")
      .required("feedback_type", &Body::feedback_type, string(),
                "Any string; some `svc.` types have their own rules.")
      .required("payload", &Body::payload_object, schema::jsonObject(), "The feedback itself.")
      .optional("id", &Body::own_id, nullable(string()), "A UUID. Default: generated.")
      .optional("creator", &Body::creator, nullable(string()), "Display name of the author.")
      .optional("annotation_ref", &Body::annotation_ref, ref,
                "The specification of the annotation.")
      .optional("runnable_ref", &Body::runnable_ref, ref, "The object or op that produced it.")
      .optional("call_ref", &Body::call_ref, ref, "The call that produced it.")
      .optional("trigger_ref", &Body::trigger_ref, ref,
                "The object that triggered it, such as a monitor.")
      .optional("queue_id", &Body::queue_id, nullable(string()), "The annotation queue.")
      .optional("scorer_tags", &Body::scorer_tags, schema::list(string()))
      .optional("scorer_tag_reasons", &Body::tag_reasons, texts, "By tag.")
      .optional("scorer_tag_confidences", &Body::tag_confidences, numbers, "By tag.")
      .optional("scorer_ratings", &Body::ratings, numbers, "By name of the rating.")
      .optional("scorer_rating_reasons", &Body::rating_reasons, texts)
      .optional("scorer_rating_confidences", &Body::rating_confidences, numbers)
      .optional("span_agent_name", &Body::span_agent_name, string())
      .optional("span_agent_version", &Body::span_agent_version, string())
      .optional("span_status_code", &Body::span_status_code, string())
      .optional("span_conversation_id", &Body::span_conversation_id, string())
      .optional("span_trace_id", &Body::span_trace_id, string())
      .optional("scorer_trace_id", &Body::scorer_trace_id, string())
      .optional("svc_user_id", &Body::sent_user_id, nullable(string()), "Set by the server.");
  return record;
}

Codec<CreateBody> createCodec() { return createRecord<CreateBody>("FeedbackCreate").codec(); }

Codec<ReplaceBody> replaceCodec() {
  return createRecord<ReplaceBody>("FeedbackReplace")
      .required("feedback_id", &ReplaceBody::feedback_id, string(),
                "Id of the feedback to replace.")
      .codec();
}

Codec<BatchBody> batchCodec() {
  return Record<BatchBody>("FeedbackCreateBatch")
      .required("batch", &BatchBody::batch, schema::list(createCodec()), "All or nothing.")
      .codec();
}

Codec<CreateReply> createReplyCodec() {
  return Record<CreateReply>("FeedbackCreated")
      .required("id", &CreateReply::id, string())
      .required("created_at", &CreateReply::created_at, schema::dateTime())
      .required("svc_user_id", &CreateReply::svc_user_id, string(), "The author.")
      .required("payload", &CreateReply::payload, schema::jsonObject(),
                "The stored payload, including members added by the server.")
      .codec();
}

Codec<BatchReply> batchReplyCodec() {
  return Record<BatchReply>("FeedbackCreatedBatch")
      .required("res", &BatchReply::res, schema::list(createReplyCodec()),
                "In the order of the request.")
      .codec();
}

Codec<PurgeBody> purgeCodec() {
  return identity::projectRecord<PurgeBody>("FeedbackPurge")
      .required("query", &PurgeBody::query, query::queryCodec(),
                "`$eq` of `id` and a literal, or `$or` of such `$eq`.")
      .codec();
}

Feedback feedbackOf(CreateBody body) {
  Feedback feedback = std::move(static_cast<Feedback&>(body));
  feedback.id = body.own_id.value_or("");
  feedback.payload = std::move(body.payload_object.json);
  feedback.scorer_tag_reasons = textsCodec().toJson(body.tag_reasons);
  feedback.scorer_tag_confidences = numbersCodec().toJson(body.tag_confidences);
  feedback.scorer_ratings = numbersCodec().toJson(body.ratings);
  feedback.scorer_rating_reasons = textsCodec().toJson(body.rating_reasons);
  feedback.scorer_rating_confidences = numbersCodec().toJson(body.rating_confidences);
  return feedback;
}

/// Validates the items of one request and collects them until all are valid.
class FeedbackBatch {
 public:
  FeedbackBatch(const FeedbackServices& services, const Context& context)
      : services_(services),
        context_(context),
        projects_(services.ref_projects(context.caller().user_id)) {}

  /// @return the response for the item.
  Result<CreateReply> add(CreateBody body) {
    const std::string project_id = TRY(projectOf(body.project_id));
    Feedback feedback = TRY(services_.feedback_validator.validate(
        feedbackOf(std::move(body)), {project_id, context_.caller().user_id, *projects_}));
    CreateReply reply{feedback.id, feedback.created_at, feedback.svc_user_id, {feedback.payload}};
    TRY(objects::externalizeRefs(reply.payload.json, *projects_, context_.spelling()));
    items_.push_back({project_id, std::move(feedback)});
    return reply;
  }

  std::vector<ProjectFeedback>& items() { return items_; }

 private:
  Result<std::string> projectOf(const std::string& name) {
    const auto known = ids_.find(name);
    if (known != ids_.end()) return known->second;
    const identity::ProjectAccess project =
        TRY(services_.access.writeProject(context_.caller().user_id, name));
    return ids_.emplace(name, project.project_id).first->second;
  }

  const FeedbackServices& services_;
  const Context& context_;
  const std::unique_ptr<objects::RefProjects> projects_;
  std::map<std::string, std::string> ids_;
  std::vector<ProjectFeedback> items_;
};

Result<BatchReply> createBatch(const FeedbackServices& services,
                               const Context& context,
                               BatchBody body) {
  FeedbackBatch batch(services, context);
  BatchReply replies;
  for (CreateBody& item : body.batch) {
    CreateReply reply = TRY(batch.add(std::move(item)));
    replies.res.push_back(std::move(reply));
  }
  if (!replies.res.empty()) {
    TRY(services.store.add(std::move(batch.items())));
  }
  return replies;
}

Result<CreateReply> createFeedback(const FeedbackServices& services,
                                   const Context& context,
                                   CreateBody body) {
  BatchBody batch;
  batch.batch.push_back(std::move(body));
  BatchReply replies = TRY(createBatch(services, context, std::move(batch)));
  return std::move(replies.res.front());
}

Result<CreateReply> replaceFeedback(const FeedbackServices& services,
                                    const Context& context,
                                    ReplaceBody body) {
  FeedbackBatch batch(services, context);
  const std::string replaced = body.feedback_id;
  // The replacement always gets a new id, whatever the client sends.
  if (body.own_id == replaced) body.own_id.reset();
  CreateReply reply = TRY(batch.add(std::move(body)));
  TRY(services.store.replace(replaced, std::move(batch.items().front())));
  return reply;
}

/// Returns the id of `$eq: [{$getField: id}, {$literal: …}]`.
std::optional<std::string> idOf(const query::Expression& node) {
  if (node.op != query::Operator::kEq) return std::nullopt;
  const query::Expression& field = node.operands[0];
  const auto* id = std::get_if<std::string>(&node.operands[1].literal);
  const bool is_id = field.op == query::Operator::kField && field.field == "id";
  if (!is_id || node.operands[1].op != query::Operator::kLiteral || id == nullptr)
    return std::nullopt;
  return *id;
}

Result<std::vector<std::string>> idsToPurge(const query::Query& query) {
  const query::Expression& root = query.expression;
  std::vector<std::string> ids;
  const auto add = [&ids](const query::Expression& node) {
    std::optional<std::string> id = idOf(node);
    if (!id) return false;
    ids.push_back(*std::move(id));
    return true;
  };
  bool good = true;
  if (root.op == query::Operator::kOr) {
    for (const query::Expression& operand : root.operands) good = add(operand) && good;
  } else {
    good = add(root);
  }
  if (!good || ids.empty()) {
    return Error::invalidArgument("Can only purge feedback by specifying one or more feedback ids");
  }
  return ids;
}

Result<Empty> purgeFeedback(const FeedbackServices& services,
                            const Context& context,
                            const PurgeBody& body) {
  const identity::ProjectAccess project =
      TRY(services.access.writeProject(context.caller().user_id, body.project_id));
  const std::vector<std::string> ids = TRY(idsToPurge(body.query));
  TRY(services.audit.recordBefore({.action = "feedback.purge",
                                   .target_id = ids.front(),
                                   .project_id = project.project_id,
                                   .details = {{"count", std::to_string(ids.size())}}}));
  TRY(services.store.remove(project.project_id, ids));
  return Empty{};
}

}  // namespace

void addFeedbackWriteRoutes(const FeedbackRoutes& routes) {
  routes.post("/feedback/create", {"createFeedback", "Create feedback on a call or an object"},
              {.body = createCodec(), .reply = createReplyCodec()}, createFeedback);
  routes.post("/feedback/batch/create", {"createFeedbackBatch", "Create feedback in a batch"},
              {.body = batchCodec(), .reply = batchReplyCodec()}, createBatch);
  routes.post("/feedback/replace",
              {"replaceFeedback", "Replace feedback", "The replacement gets a new id."},
              {.body = replaceCodec(), .reply = createReplyCodec()}, replaceFeedback);
  routes.post("/feedback/purge", {"purgeFeedback", "Delete feedback by id"},
              {.body = purgeCodec(), .reply = Record<Empty>("Empty").codec()}, purgeFeedback);
}

}  // namespace spindle::feedback
