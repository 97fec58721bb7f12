#include "tracing/routes/call_query_api.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/core/paging.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "wire/spelling.h"

namespace spindle::tracing {
namespace {

using Texts = std::optional<std::vector<std::string>>;

/// A list of a filter and its description.
struct NamedList {
  std::string_view name;
  Texts CallFilter::*list;
  std::string_view doc = {};
};

constexpr NamedList kLists[] = {
    {"op_names", &CallFilter::op_names,
     "Names or references. A trailing `:*` matches every version."},
    {"input_refs", &CallFilter::input_refs, "Calls with any of these references in the inputs."},
    {"output_refs", &CallFilter::output_refs, "Calls with any of these references in the output."},
    {"parent_ids", &CallFilter::parent_ids},
    {"trace_ids", &CallFilter::trace_ids},
    {"call_ids", &CallFilter::call_ids},
    {"thread_ids", &CallFilter::thread_ids, "An empty list matches nothing."},
    {"turn_ids", &CallFilter::turn_ids, "An empty list matches nothing."},
    {"svc_user_ids", &CallFilter::svc_user_ids},
    {"svc_run_ids", &CallFilter::svc_run_ids, "entity/project/run, or a run of this project."},
};

Result<void> checkLists(const CallFilter& filter) {
  for (const NamedList& named : kLists) {
    const Texts& list = filter.*named.list;
    if (!list) continue;
    TRY(checkFilterList(named.name, *list));
  }
  return {};
}

/// Converts refs to the form of the ref columns.
Result<void> makeInternal(Texts& texts, objects::RefProjects& projects) {
  if (!texts) return {};
  for (std::string& text : *texts) {
    std::string internal = TRY(objects::internalRef(text, projects));
    text = wire::neutralOpName(objects::neutralRef(internal));
  }
  return {};
}

bool isRefColumn(const query::Expression& node) {
  return node.op == query::Operator::kField &&
         (node.field == "op_name" || node.field == "input_refs" || node.field == "output_refs");
}

/// Makes refs in literals internal. Refs compared with a ref column get its neutral spelling. Refs
/// compared with payloads keep their spelling, as payloads do.
Result<void> makeInternal(query::Expression& expression, objects::RefProjects& projects) {
  Result<void> outcome;
  query::visit(expression, [&](query::Expression& node) {
    const bool columns =
        std::any_of(node.operands.begin(), node.operands.end(),
                    [](const query::Expression& operand) { return isRefColumn(operand); });
    for (query::Expression& operand : node.operands) {
      auto* text = std::get_if<std::string>(&operand.literal);
      if (!outcome || operand.op != query::Operator::kLiteral || text == nullptr) continue;
      if (wire::splitRef(*text).scheme == wire::RefScheme::kNone) {
        if (columns) *text = std::string(wire::neutralOpName(*text));
        continue;
      }
      Result<std::string> internal = objects::internalRef(*text, projects);
      if (!internal) {
        outcome = std::move(internal).error();
      } else {
        *text = columns ? objects::neutralRef(*internal) : *std::move(internal);
      }
    }
  });
  return outcome;
}

void qualifyRuns(Texts& runs, const ProjectScope& project) {
  if (!runs) return;
  for (std::string& run : *runs) {
    if (run.find('/') == std::string::npos) run = project.name + "/" + run;
  }
}

}  // namespace

schema::Codec<std::optional<std::int64_t>> pageNumberCodec() {
  return schema::nullable(schema::describedAs(schema::integer(), schema::integer({.ge = 0})));
}

schema::Codec<CallFilter> callFilterCodec() {
  // checkFilterList() enforces the limit, with 400.
  const auto text_list = schema::list(schema::string());
  const auto shown = schema::list(schema::string(), {.max_items = 1000});
  const schema::Codec<Texts> texts = schema::nullable(schema::describedAs(text_list, shown));
  schema::Record<CallFilter> record("CallsFilter");
  for (const NamedList& named : kLists) {
    if (named.list == &CallFilter::svc_user_ids) {
      record.optional("trace_roots_only", &CallFilter::trace_roots_only,
                      schema::nullable(schema::boolean()), "Only calls without a parent.");
    }
    record.optional(named.name, named.list, texts, named.doc);
  }
  return record.codec();
}

Result<void> checkFilterList(std::string_view name, const std::vector<std::string>& list) {
  if (list.size() <= kMaxFilterList) return {};
  return Error::invalidArgument("Parameter: '" + std::string(name) +
                                "' request length is greater than max length (1000). Actual "
                                "length: " +
                                std::to_string(list.size()));
}

Result<CallQuery> callQueryOf(std::optional<CallFilter> filter,
                              std::optional<query::Query> query,
                              std::optional<std::vector<std::string>> expand_columns,
                              const ProjectScope& project,
                              objects::RefProjects& projects) {
  CallQuery selection;
  if (filter) selection.filter = *std::move(filter);
  CallFilter& wanted = selection.filter;
  TRY(checkLists(wanted));
  for (Texts* refs : {&wanted.op_names, &wanted.input_refs, &wanted.output_refs}) {
    TRY(makeInternal(*refs, projects));
  }
  qualifyRuns(wanted.svc_run_ids, project);
  if (query) {
    TRY(makeInternal(query->expression, projects));
  }
  selection.query = std::move(query);
  if (expand_columns) {
    for (const std::string& column : *expand_columns)
      selection.expand_columns.push_back(wire::neutralField(column));
  }
  return selection;
}

Result<CallPage> pageOf(std::optional<std::vector<query::SortKey>> sort_by,
                        std::optional<std::int64_t> limit,
                        std::optional<std::int64_t> offset) {
  if (limit && *limit < 0) return Error::invalidArgument("Limit must be a positive integer");
  if (offset && *offset < 0) return Error::invalidArgument("Offset must be a positive integer");
  if (limit) limit = boundedRows(*limit);
  return CallPage{std::move(sort_by), limit, boundedRows(offset.value_or(0))};
}

}  // namespace spindle::tracing
