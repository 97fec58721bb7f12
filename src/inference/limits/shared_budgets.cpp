#include "inference/limits/shared_budgets.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "storage/database/database.h"

namespace spindle::inference {
namespace {

using storage::Params, storage::Row, storage::Rows, storage::Session;

constexpr SqlView kOfBudget = "scope = ? AND subject_id = ? AND period = ? AND since = ?";

std::string_view scopeText(LimitScope scope) {
  return scope == LimitScope::kKey ? "key" : "project";
}

/// Returns the parameters of kOfBudget, followed by others.
Params paramsOf(const BudgetOfPeriod& budget, const Params& others = {}) {
  Params params{scopeText(budget.scope), budget.subject_id, textOf(budget.period), budget.since};
  params.insert(params.end(), others.begin(), others.end());
  return params;
}

Result<NanoDollars> spentOf(Session& session, const BudgetOfPeriod& budget) {
  const std::optional<Row> row = TRY(session.queryOne(
      "SELECT spent FROM inference_budgets WHERE " + SqlText(kOfBudget), paramsOf(budget)));
  return row ? row->integer("spent") : 0;
}

Result<void> setSpent(Session& session, const BudgetOfPeriod& budget, NanoDollars spent) {
  TRY(session.execute(
      "INSERT INTO inference_budgets (scope, subject_id, period, since, spent) "
      "VALUES (?, ?, ?, ?, ?) ON CONFLICT (scope, subject_id, period, since) DO UPDATE SET "
      "spent = excluded.spent",
      paramsOf(budget, {spent})));
  return {};
}

/// Returns the cost of a node that the spent cost contains.
Result<NanoDollars> spentByNode(Session& session,
                                const BudgetOfPeriod& budget,
                                const std::string& node_id) {
  const std::optional<Row> row = TRY(session.queryOne(
      "SELECT spent FROM inference_budget_nodes WHERE " + SqlText(kOfBudget) + " AND node_id = ?",
      paramsOf(budget, {node_id})));
  return row ? row->integer("spent") : 0;
}

Result<void> addSpentByNode(Session& session,
                            const BudgetOfPeriod& budget,
                            const std::string& node_id,
                            NanoDollars spent) {
  TRY(session.execute(
      "INSERT INTO inference_budget_nodes (scope, subject_id, period, since, node_id, spent) "
      "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (scope, subject_id, period, since, node_id) "
      "DO UPDATE SET spent = inference_budget_nodes.spent + excluded.spent",
      paramsOf(budget, {node_id, spent})));
  return {};
}

/// Removes what earlier periods have left.
Result<void> removeEarlierPeriods(Session& session, const BudgetOfPeriod& budget) {
  for (const SqlView table : {SqlView("inference_budgets"), SqlView("inference_budget_parts"),
                              SqlView("inference_budget_nodes")}) {
    TRY(session.execute("DELETE FROM " + SqlText(table) +
                            " WHERE scope = ? AND subject_id = ? AND period = ? AND since < ?",
                        paramsOf(budget)));
  }
  return {};
}

}  // namespace

Result<void> SharedBudgets::open(const BudgetOfPeriod& budget, NanoDollars recorded) {
  return database_.writeUncached([&](Session& session) -> Result<void> {
    TRY(removeEarlierPeriods(session, budget));
    TRY(session.execute("DELETE FROM inference_budget_parts WHERE " + SqlText(kOfBudget) +
                            " AND node_id = ? AND incarnation <> ?",
                        paramsOf(budget, {node_id_, incarnation_})));
    const NanoDollars known = TRY(spentOf(session, budget));
    if (recorded_ == Recorded::kOfAllNodes)
      return setSpent(session, budget, std::max(known, recorded));
    const NanoDollars missing =
        std::max<NanoDollars>(recorded - TRY(spentByNode(session, budget, node_id_)), 0);
    TRY(addSpentByNode(session, budget, node_id_, missing));
    return setSpent(session, budget, addNanoDollars(known, missing));
  });
}

Result<NanoDollars> SharedBudgets::exchange(const BudgetOfPeriod& budget,
                                            const Exchange& exchange) {
  const Timestamp now = schedule_.now();
  return database_.writeUncached([&](Session& session) -> Result<NanoDollars> {
    const NanoDollars before = TRY(spentOf(session, budget));
    const NanoDollars spent = addNanoDollars(before, exchange.spent);
    if (exchange.spent > 0) {
      TRY(setSpent(session, budget, spent));
      if (recorded_ == Recorded::kOfThisNode)
        TRY(addSpentByNode(session, budget, node_id_, exchange.spent));
    }
    const std::optional<Row> others = TRY(session.queryOne(
        "SELECT coalesce(sum(amount), 0) AS amount FROM inference_budget_parts WHERE " +
            SqlText(kOfBudget) + " AND NOT (node_id = ? AND incarnation = ?)",
        paramsOf(budget, {node_id_, incarnation_})));
    const NanoDollars taken =
        addNanoDollars(addNanoDollars(spent, others->integer("amount")), exchange.keep);
    const NanoDollars free = std::max<NanoDollars>(exchange.budget - taken, 0);
    const NanoDollars granted = free >= exchange.need ? std::min(exchange.want, free) : 0;
    const NanoDollars part = addNanoDollars(exchange.keep, granted);
    if (part == 0) {
      TRY(session.execute("DELETE FROM inference_budget_parts WHERE " + SqlText(kOfBudget) +
                              " AND node_id = ? AND incarnation = ?",
                          paramsOf(budget, {node_id_, incarnation_})));
      return granted;
    }
    TRY(session.execute(
        "INSERT INTO inference_budget_parts (scope, subject_id, period, since, node_id, "
        "incarnation, amount, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (scope, subject_id, period, since, node_id, incarnation) DO UPDATE SET "
        "amount = excluded.amount, updated_at = excluded.updated_at",
        paramsOf(budget, {node_id_, incarnation_, part, now})));
    return granted;
  });
}

Result<NanoDollars> SharedBudgets::spent(const BudgetOfPeriod& budget) {
  return database_.read([&](Session& session) { return spentOf(session, budget); });
}

Result<std::int64_t> SharedBudgets::settleAbandoned() {
  const Timestamp before = schedule_.now() - kAbandonedAfter;
  return database_.writeUncached([&](Session& session) -> Result<std::int64_t> {
    TRY(session.execute(
        "UPDATE inference_budgets SET spent = spent + (SELECT coalesce(sum(p.amount), 0) "
        "FROM inference_budget_parts p WHERE p.scope = inference_budgets.scope "
        "AND p.subject_id = inference_budgets.subject_id "
        "AND p.period = inference_budgets.period AND p.since = inference_budgets.since "
        "AND p.updated_at < ?) WHERE EXISTS (SELECT 1 FROM inference_budget_parts q "
        "WHERE q.scope = inference_budgets.scope AND q.subject_id = inference_budgets.subject_id "
        "AND q.period = inference_budgets.period AND q.since = inference_budgets.since "
        "AND q.updated_at < ?)",
        {before, before}));
    return session.execute("DELETE FROM inference_budget_parts WHERE updated_at < ?", {before});
  });
}

}  // namespace spindle::inference
