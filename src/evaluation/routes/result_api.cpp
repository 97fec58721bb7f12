#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/paging.h"
#include "evaluation/results/result_reader.h"
#include "evaluation/routes/evaluation_api.h"
#include "http/router/route_group.h"
#include "objects/values/ref_conversion.h"
#include "query/codec.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/routes/call_query_api.h"

namespace spindle::evaluation {
namespace {

using http::Context;
using schema::boolean, schema::Codec, schema::integer, schema::list, schema::nullable,
    schema::number, schema::Record, schema::string;

struct SortBody {
  std::string field;
  std::string direction;
  std::optional<std::string> evaluation_call_id;
  std::string mode = "value";
};
struct FilterBody {
  query::Query query;
  std::optional<std::string> evaluation_call_id;
};
struct CompareBody : BootstrapOptions {
  std::optional<std::string> baseline_evaluation_call_id;
  std::optional<std::vector<std::string>> metrics;
};
struct QueryBody {
  std::optional<std::vector<std::string>> evaluation_call_ids;
  std::optional<std::vector<std::string>> evaluation_run_ids;
  bool require_intersection = false;
  bool include_raw_data_rows = false;
  bool resolve_row_refs = false;
  bool include_rows = true;
  bool include_summary = false;
  std::optional<bool> summary_require_intersection;
  bool include_predict_and_score_children = true;
  bool include_costs = false;
  std::optional<std::vector<SortBody>> sort_by;
  std::optional<std::vector<FilterBody>> filters;
  std::string filter_logic_operator = "or";
  std::optional<std::int64_t> limit;
  std::int64_t offset = 0;
  std::optional<CompareBody> compare;
};

Codec<CompareBody> compareCodec() {
  using B = CompareBody;
  return Record<B>("EvalResultsCompare")
      .optional("baseline_evaluation_call_id", &B::baseline_evaluation_call_id, nullable(string()),
                "Baseline of the comparison. Default: the first evaluation.")
      .optional("metrics", &B::metrics, nullable(list(string())),
                "`scorer` or `scorer.path`. Default: all numbers and booleans.")
      .optional("confidence", &B::confidence, number({.gt = 0.0, .lt = 1.0}),
                "Confidence level of the interval.")
      .optional("resamples", &B::resamples, integer({.ge = 1, .le = 100'000}))
      .optional("seed", &B::seed, integer({.ge = 0}), "The same seed gives the same interval.")
      .codec();
}

Codec<QueryBody> queryBodyCodec() {
  using B = QueryBody;
  const Codec<SortBody> sort =
      Record<SortBody>("EvalResultsSort")
          .required("field", &SortBody::field, string(), "scores.*, inputs.* or output.*")
          .required("direction", &SortBody::direction, schema::literal({"asc", "desc"}))
          .optional("evaluation_call_id", &SortBody::evaluation_call_id, nullable(string()))
          .optional("mode", &SortBody::mode, schema::literal({"value", "difference"}),
                    "`difference`: greatest minus least value of the evaluations; scores only.")
          .codec();
  const Codec<FilterBody> filter =
      Record<FilterBody>("EvalResultsFilter")
          .required("query", &FilterBody::query, query::queryCodec(),
                    "Over row_digest, scores.*, inputs.* and output.*.")
          .optional("evaluation_call_id", &FilterBody::evaluation_call_id, nullable(string()),
                    "Default: one matching evaluation is enough.")
          .codec();
  return schema::described(
      Record<B>("EvalResultsQuery")
          .optional("evaluation_call_ids", &B::evaluation_call_ids, nullable(list(string())))
          .optional("evaluation_run_ids", &B::evaluation_run_ids, nullable(list(string())),
                    "Synonym of evaluation_call_ids.")
          .optional("require_intersection", &B::require_intersection, boolean(),
                    "Only rows that all evaluations have.")
          .optional("include_raw_data_rows", &B::include_raw_data_rows, boolean())
          .optional("resolve_row_refs", &B::resolve_row_refs, boolean(),
                    "Return rows of datasets instead of references to them.")
          .optional("include_rows", &B::include_rows, boolean())
          .optional("include_summary", &B::include_summary, boolean())
          .optional("summary_require_intersection", &B::summary_require_intersection,
                    nullable(boolean()), "Default: the value of require_intersection.")
          .optional("include_predict_and_score_children", &B::include_predict_and_score_children,
                    boolean(), "If false: no ids, latencies and tokens of child calls.")
          .optional("include_costs", &B::include_costs, boolean())
          .optional("sort_by", &B::sort_by, nullable(list(sort, {.max_items = kMaxSortKeys})),
                    "Sort keys; equal rows are sorted by row_digest.")
          .optional("filters", &B::filters, nullable(list(filter)))
          .optional("filter_logic_operator", &B::filter_logic_operator,
                    schema::literal({"and", "or"}), "How filters of one evaluation combine.")
          .optional("limit", &B::limit, nullable(integer({.ge = 0})))
          .optional("offset", &B::offset, integer({.ge = 0}))
          .optional("compare", &B::compare, nullable(compareCodec()),
                    "Compare 2 to 10 evaluations row by row.")
          .check([](const B& body) -> std::optional<schema::RuleError> {
            const auto empty = [](const std::optional<std::vector<std::string>>& ids) {
              return !ids || ids->empty();
            };
            if (!empty(body.evaluation_call_ids) || !empty(body.evaluation_run_ids))
              return std::nullopt;
            return schema::valueError(
                "At least one of evaluation_call_ids or evaluation_run_ids must be provided");
          })
          .codec(),
      R"({"anyOf":[{"properties":{"evaluation_call_ids":{"type":"array","minItems":1}},)"
      R"("required":["evaluation_call_ids"]},{"pro)"
      R"(perties":{"evaluation_run_ids":{"type":"array","minItems":1}},)"
      R"("required":["evaluation_run_ids"]}]})");
}

Codec<ResultRow> rowCodec() {
  using T = Trial;
  const auto text = nullable(string());
  const Codec<T> trial =
      Record<T>("EvalResultsTrial")
          .required("predict_and_score_call_id", &T::call_id, string())
          .required("predict_call_id", &T::predict_call_id, text)
          .required("model_output", &T::model_output, schema::anyJson())
          .required("scores", &T::scores, schema::jsonObject(), "By scorer.")
          .required("model_latency_seconds", &T::latency_seconds, nullable(number()))
          .required("total_tokens", &T::tokens, nullable(integer()))
          .required("total_cost", &T::cost, nullable(number()))
          .required("scorer_call_ids", &T::scorer_call_ids, schema::map(string()), "By scorer.")
          .required("genai_span_ref", &T::genai_spans, nullable(schema::anyJson()))
          .codec();
  const Codec<RowEvaluation> evaluation =
      Record<RowEvaluation>("EvalResultsRowEvaluation")
          .required("evaluation_call_id", &RowEvaluation::evaluation_call_id, string())
          .required("trials", &RowEvaluation::trials, list(trial))
          .codec();
  return Record<ResultRow>("EvalResultsRow")
      .required("row_digest", &ResultRow::digest, string())
      .required("raw_data_row", &ResultRow::raw, nullable(schema::anyJson()))
      .required("evaluations", &ResultRow::evaluations, list(evaluation),
                "In the order of the request.")
      .codec();
}

Codec<ResultSummary> summaryCodec() {
  using S = ScorerStats;
  using E = EvaluationSummary;
  const auto text = nullable(string());
  const auto real = nullable(number());
  const Codec<S> stats =
      Record<S>("EvalResultsScorerStats")
          .required("scorer_key", &S::scorer, string())
          .required("path", &S::path, text, "Dotted; null when the score itself is the value.")
          .required("value_type", &S::value_type, text, "`binary`, `continuous` or `text`.")
          .required("trial_count", &S::trials, integer())
          .required("numeric_count", &S::numbers, integer())
          .required("numeric_mean", &S::mean, real)
          .required("pass_true_count", &S::passes, integer())
          .required("pass_known_count", &S::known, integer())
          .required("pass_rate", &S::pass_rate, real)
          .required("pass_signal_coverage", &S::coverage, real)
          .codec();
  const Codec<E> evaluation = Record<E>("EvalResultsEvaluationSummary")
                                  .required("evaluation_call_id", &E::evaluation_call_id, string())
                                  .required("trial_count", &E::trials, integer())
                                  .required("scorer_stats", &E::scorers, list(stats))
                                  .required("predict_total_tokens", &E::tokens, nullable(integer()))
                                  .required("predict_total_cost", &E::cost, real)
                                  .required("evaluation_ref", &E::evaluation, text)
                                  .required("model_ref", &E::model, text)
                                  .required("display_name", &E::display_name, text)
                                  .required("trace_id", &E::trace_id, text)
                                  .required("started_at", &E::started_at, text)
                                  .codec();
  return Record<ResultSummary>("EvalResultsSummary")
      .required("row_count", &ResultSummary::rows, integer())
      .required("evaluations", &ResultSummary::evaluations, list(evaluation))
      .codec();
}

Codec<ResultComparison> comparisonCodec() {
  using W = WorseRow;
  using M = MetricComparison;
  using C = ResultComparison;
  const auto real = nullable(number());
  const Codec<W> worse = Record<W>("EvalResultsWorseRow")
                             .required("row_digest", &W::row_digest, string())
                             .required("baseline_value", &W::baseline, number())
                             .required("value", &W::value, number())
                             .required("difference", &W::change, number())
                             .codec();
  const Codec<Interval> interval = Record<Interval>("EvalResultsInterval")
                                       .required("low", &Interval::low, number())
                                       .required("high", &Interval::high, number())
                                       .codec();
  const Codec<M> metric =
      Record<M>("EvalResultsMetricComparison")
          .required("scorer_key", &M::scorer, string())
          .required("path", &M::path, nullable(string()))
          .required("paired_rows", &M::rows, integer(), "Rows with a value in both evaluations.")
          .required("baseline_mean", &M::baseline_mean, real)
          .required("mean", &M::mean, real)
          .required("mean_difference", &M::mean_difference, real)
          .required("interval", &M::interval, nullable(interval),
                    "Confidence interval of the mean difference.")
          .required("wins", &M::wins, integer(), "Rows with a higher value than the baseline.")
          .required("ties", &M::ties, integer())
          .required("losses", &M::losses, integer())
          .required("worse_rows", &M::worse, list(worse),
                    "Rows with a lower value, lowest difference first; paged by limit and offset.")
          .codec();
  const Codec<RunComparison> run =
      Record<RunComparison>("EvalResultsRunComparison")
          .required("evaluation_call_id", &RunComparison::evaluation_call_id, string())
          .required("metrics", &RunComparison::metrics, list(metric))
          .codec();
  return Record<C>("EvalResultsComparison")
      .required("baseline_evaluation_call_id", &C::baseline, string())
      .required("confidence", &C::confidence, number())
      .required("resamples", &C::resamples, integer())
      .required("seed", &C::seed, integer())
      .required("evaluations", &C::runs, list(run), "All evaluations except the baseline.")
      .codec();
}

Codec<EvaluationResults> replyCodec() {
  using R = EvaluationResults;
  return Record<R>("EvalResults")
      .required("rows", &R::rows, list(rowCodec()))
      .required("total_rows", &R::total_rows, integer(), "Before paging.")
      .required("summary", &R::summary, nullable(summaryCodec()),
                "Null unless include_summary is true.")
      .required("warnings", &R::warnings, list(string()))
      .required("comparison", &R::comparison, nullable(comparisonCodec()),
                "Present if the request has `compare`.")
      .omitNull()
      .codec();
}

ResultQuery resultQueryOf(QueryBody body) {
  ResultQuery result_query;
  for (std::optional<std::vector<std::string>>* ids :
       {&body.evaluation_call_ids, &body.evaluation_run_ids}) {
    for (std::string& id : ids->value_or(std::vector<std::string>())) {
      if (std::find(result_query.evaluations.begin(), result_query.evaluations.end(), id) ==
          result_query.evaluations.end()) {
        result_query.evaluations.push_back(std::move(id));
      }
    }
  }
  result_query.require_intersection = body.require_intersection;
  result_query.raw_rows = body.include_raw_data_rows;
  result_query.resolve_rows = body.resolve_row_refs;
  result_query.rows = body.include_rows;
  result_query.summary = body.include_summary;
  result_query.summary_intersection = body.summary_require_intersection;
  result_query.children = body.include_predict_and_score_children;
  result_query.costs = body.include_costs;
  for (SortBody& sort : body.sort_by.value_or(std::vector<SortBody>())) {
    result_query.sort.push_back({std::move(sort.field), sort.direction == "desc",
                                 std::move(sort.evaluation_call_id), sort.mode == "difference"});
  }
  for (FilterBody& filter : body.filters.value_or(std::vector<FilterBody>()))
    result_query.filters.push_back({std::move(filter.query), std::move(filter.evaluation_call_id)});
  result_query.all_filters = body.filter_logic_operator == "and";
  result_query.limit = body.limit;
  result_query.offset = body.offset;
  if (body.compare) {
    result_query.compare = CompareQuery{std::move(body.compare->baseline_evaluation_call_id),
                                        std::move(body.compare->metrics),
                                        static_cast<const BootstrapOptions&>(*body.compare)};
  }
  return result_query;
}

/// Converts the references in results to the form that one reader may see.
class ResultPresenter {
 public:
  ResultPresenter(objects::RefProjects& projects, wire::Spelling spelling)
      : projects_(projects), spelling_(spelling) {}

  Result<void> present(ResultRow& row) const {
    if (row.raw) {
      TRY(present(*row.raw));
    }
    for (RowEvaluation& evaluation : row.evaluations) {
      for (Trial& trial : evaluation.trials) {
        TRY(present(trial.model_output));
        TRY(present(trial.scores));
      }
    }
    return {};
  }

  Result<void> present(ResultSummary& summary) const {
    for (EvaluationSummary& evaluation : summary.evaluations) {
      for (std::optional<std::string>* ref : {&evaluation.evaluation, &evaluation.model}) {
        if (!*ref) continue;
        std::string text = TRY(objects::externalRef(**ref, projects_, spelling_));
        *ref = std::move(text);
      }
    }
    return {};
  }

 private:
  Result<void> present(json::Text& payload) const {
    return objects::externalizeRefs(payload.json, projects_, spelling_);
  }

  objects::RefProjects& projects_;
  wire::Spelling spelling_;
};

/// Converts literals that are references to their internal form, as stored in the calls.
Result<void> internalizeLiterals(query::Query& query, objects::RefProjects& projects) {
  Result<void> outcome;
  query::visit(query.expression, [&](query::Expression& node) {
    auto* text = std::get_if<std::string>(&node.literal);
    if (node.op != query::Operator::kLiteral || text == nullptr || !outcome) return;
    Result<std::string> internal = objects::internalRef(*text, projects);
    if (internal) {
      *text = *std::move(internal);
    } else {
      outcome = std::move(internal).error();
    }
  });
  return outcome;
}

Result<EvaluationResults> queryResults(const EvaluationServices& services,
                                       const Context& context,
                                       const ProjectPath& path,
                                       QueryBody body) {
  const tracing::ProjectScope project =
      TRY(tracing::readableProject(services.tracing, context, path.name()));
  const std::unique_ptr<objects::RefProjects> projects =
      services.tracing.ref_projects(context.caller().user_id);
  ResultQuery result_query = resultQueryOf(std::move(body));
  TRY(tracing::checkFilterList("evaluation_call_ids", result_query.evaluations));
  for (ResultFilter& filter : result_query.filters) {
    TRY(internalizeLiterals(filter.query, *projects));
  }
  const ResultReader reader(
      {services.tracing.calls, services.tracing.ref_values, services.tracing.prices});
  EvaluationResults results = TRY(reader.read(project, result_query));

  const ResultPresenter presenter(*projects, context.spelling());
  for (ResultRow& row : results.rows) {
    TRY(presenter.present(row));
  }
  if (results.summary) {
    TRY(presenter.present(*results.summary));
  }
  return results;
}

}  // namespace

void addResultRoutes(const EvaluationRoutes& routes) {
  routes.post(
      "/v2/{entity}/{project}/eval_results/query",
      {"queryEvalResults", "Query the results of evaluations by row",
       "Groups the rows of all evaluations by their digest."},
      {.params = projectParameters<ProjectPath>(), .body = queryBodyCodec(), .reply = replyCodec()},
      queryResults);
}

}  // namespace spindle::evaluation
