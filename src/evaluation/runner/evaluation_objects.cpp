#include "evaluation/runner/evaluation_objects.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "evaluation/scoring/prompt_template.h"
#include "json/document.h"
#include "json/stored.h"
#include "objects/store/object_repository.h"
#include "objects/store/ref_reader.h"
#include "objects/store/table_repository.h"
#include "objects/values/ref.h"

namespace spindle::evaluation {
namespace {

using json::Document, json::Node;
using objects::Ref, objects::RefEdge, objects::RefKind;

constexpr std::int64_t kMaxTrials = 1000;

/// Returns the error for a missing object, without internal project ids.
Error notFound(std::string_view text) {
  const Result<Ref> ref = objects::parseRef(text);
  const bool inside = ref && ref->scheme == wire::RefScheme::kInternal;
  return Error::notFound("Object not found: " +
                         (inside ? ref->name + ":" + ref->version : std::string(text)));
}

std::optional<std::string> textAt(const Node& object, std::string_view name) {
  const std::optional<Node> found = object.isObject() ? object.find(name) : std::nullopt;
  if (!found || !found->isString()) return std::nullopt;
  return found->text();
}

/// Adds the kind and the name of the object in front of the message.
Error about(std::string_view what, const PinnedObject& object, const Error& error) {
  return {error.code(), std::string(what) + " '" + object.name + "': " + error.message()};
}

}  // namespace

std::string rowRef(const Dataset& dataset, std::string_view row_digest) {
  Result<Ref> ref = objects::parseRef(dataset.ref);
  if (!ref) return dataset.ref;
  ref->edges = {{RefEdge::Kind::kAttribute, "rows"},
                {RefEdge::Kind::kRow, std::string(row_digest)}};
  return objects::printRef(*ref);
}

Result<std::string> EvaluationObjects::internal(std::string_view text) {
  Result<std::string> internal = objects::internalRef(text, *projects_);
  if (!internal && internal.error().code() == ErrorCode::kUnavailable) return internal;
  if (!internal) return notFound(text);
  if (wire::splitRef(*internal).scheme != wire::RefScheme::kInternal) return notFound(text);
  return objects::neutralRef(*internal);
}

Result<PinnedObject> EvaluationObjects::pin(std::string_view text) {
  const Result<Ref> given = objects::parseRef(text);
  if (!given || given->kind != RefKind::kObject || !given->edges.empty()) {
    return Error::invalidArgument("Not a reference to an object: " + std::string(text));
  }
  const std::string known = TRY(internal(text));
  Ref ref = TRY(objects::parseRef(known));
  Result<objects::ObjectVersion> found =
      ports_.objects.find(ref.project, ref.name, ref.version, true);
  if (!found && found.error().code() == ErrorCode::kNotFound) return notFound(text);
  if (!found) return std::move(found).error();
  ref.version = found->digest;
  return PinnedObject{objects::printRef(ref), ref.name, std::move(found->value)};
}

Result<EvaluationSpec> EvaluationObjects::evaluation(std::string_view ref) {
  const PinnedObject object = TRY(pin(ref));
  const Document document = json::parseStored(object.value);
  const Node root = document.root();
  const std::optional<std::string> data = textAt(root, "dataset");
  if (!data) {
    return about("Evaluation", object,
                 Error::invalidArgument("it has no 'dataset' that is a reference"));
  }
  EvaluationSpec spec;
  spec.dataset = *data;
  const std::optional<Node> scorers = root.find("scorers");
  if (scorers && scorers->isArray()) {
    for (const Node& scorer : *scorers) {
      if (!scorer.isString()) {
        return about("Evaluation", object,
                     Error::invalidArgument("its 'scorers' must be references"));
      }
      spec.scorers.push_back(scorer.text());
    }
  }
  const std::optional<Node> trials = root.find("trials");
  if (trials && !trials->isNull()) {
    const std::optional<std::int64_t> count = trials->isNumber() ? trials->integer() : std::nullopt;
    if (!count || *count < 1 || *count > kMaxTrials) {
      return about("Evaluation", object,
                   Error::invalidArgument("its 'trials' must be from 1 to 1000"));
    }
    spec.trials = *count;
  }
  return spec;
}

Result<Dataset> EvaluationObjects::dataset(std::string_view ref) {
  const PinnedObject object = TRY(pin(ref));
  const Document document = json::parseStored(object.value);
  const std::optional<std::string> rows = textAt(document.root(), "rows");
  const Error no_table =
      about("Dataset", object, Error::invalidArgument("its 'rows' are not a table"));
  if (!rows) return no_table;
  const std::string table_ref = TRY(internal(*rows));
  const Result<Ref> table = objects::parseRef(table_ref);
  if (!table || table->kind != RefKind::kTable) return no_table;
  return Dataset{object.ref, table->project, table->name};
}

Result<ModelSpec> EvaluationObjects::model(std::string_view ref) {
  const PinnedObject object = TRY(pin(ref));
  Result<ModelSpec> spec = modelSpecOf(object.value);
  if (!spec) return about("Model", object, spec.error());
  return spec;
}

Result<std::vector<NamedScorer>> EvaluationObjects::scorers(const std::vector<std::string>& refs,
                                                            const ScorerPorts& scorer_ports) {
  std::vector<NamedScorer> all;
  for (const std::string& ref : refs) {
    const PinnedObject object = TRY(pin(ref));
    const bool taken = std::any_of(all.begin(), all.end(), [&](const NamedScorer& other) {
      return other.name == object.name;
    });
    if (taken) return Error::invalidArgument("Two scorers have the name '" + object.name + "'.");
    Result<std::unique_ptr<const Scorer>> scorer = makeScorer(object.value, scorer_ports);
    if (!scorer) return about("Scorer", object, scorer.error());
    all.push_back({object.ref, object.name, *std::move(scorer)});
  }
  return all;
}

Result<std::int64_t> EvaluationObjects::rowCount(const Dataset& dataset) {
  const std::vector<objects::TableStats> stats =
      TRY(ports_.tables.stats(dataset.project_id, {dataset.table_digest}, false));
  if (stats.empty()) return notFound(dataset.ref);
  return stats.front().count;
}

Result<std::vector<std::string>> EvaluationObjects::resolve(
    const std::vector<std::string>& examples) {
  std::vector<std::string> values = examples;
  std::vector<Ref> refs;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (!examples[i].starts_with('"')) continue;
    const Result<std::string> known = internal(plainText(examples[i]));
    if (!known && known.error().code() == ErrorCode::kUnavailable) return known.error();
    if (!known) {
      // A plain text is a valid example; a reference that cannot be resolved becomes null.
      const Result<Ref> broken = objects::parseRef(plainText(examples[i]));
      if (broken) values[i] = "null";
      continue;
    }
    Result<Ref> ref = objects::parseRef(*known);
    if (!ref || !ref->isObjectOrOp()) continue;
    refs.push_back(*std::move(ref));
    places.push_back(i);
  }
  if (refs.empty()) return values;
  const objects::RefReader reader(ports_.objects, ports_.tables);
  std::vector<objects::RefValue> found = TRY(reader.read(refs));
  for (std::size_t i = 0; i < places.size(); ++i) values[places[i]] = std::move(found[i].value);
  return values;
}

}  // namespace spindle::evaluation
