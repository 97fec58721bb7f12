#include "pricing/price_repository.h"

#include <utility>

#include "base/crypto/id.h"
#include "identity/audit/audit_trail.h"
#include "storage/database/columns.h"
#include "storage/database/database.h"

namespace spindle::pricing {
namespace {

using storage::Row, storage::Rows, storage::Session, storage::Value;

const storage::Columns<Price>& priceColumns() {
  static const storage::Columns<Price> columns{
      {"id", &Price::id},
      {"llm_id", &Price::llm_id},
      {"prompt_token_cost", &Price::tokens, &TokenPrices::prompt},
      {"completion_token_cost", &Price::tokens, &TokenPrices::completion},
      {"cache_read_input_token_cost", &Price::tokens, &TokenPrices::cache_read},
      {"cache_creation_input_token_cost", &Price::tokens, &TokenPrices::cache_creation},
      {"prompt_token_cost_unit", &Price::prompt_unit},
      {"completion_token_cost_unit", &Price::completion_unit},
      {"effective_date", &Price::effective_date},
      {"provider_id", &Price::provider_id},
      {"created_by", &Price::created_by},
      {"created_at", &Price::created_at}};
  return columns;
}

/// Returns the prices that `condition` selects, in the order of insertion.
Result<std::vector<Price>> selectPrices(Session& session,
                                        SqlView condition,
                                        const storage::Params& params = {}) {
  return collectRows(session.query("SELECT project_id, " + priceColumns().list() +
                                       " FROM prices WHERE " + condition + " ORDER BY number",
                                   params),
                     [](const Row& row) {
                       Price price = priceColumns().read(row);
                       price.level =
                           row.isNull("project_id") ? PriceLevel::kDefault : PriceLevel::kProject;
                       return price;
                     });
}

Result<void> insertPrice(Session& session, const Value& project_id, const Price& price) {
  TRY(session.execute(priceColumns().insertInto("prices", {"project_id"}),
                      priceColumns().valuesOf(price, {project_id})));
  return {};
}

constexpr std::string_view kDefaultScope;

Result<void> countChange(Session& session, std::string_view scope) {
  TRY(
      session.execute("INSERT INTO price_revisions (scope, revision) VALUES (?, 1) "
                      "ON CONFLICT (scope) DO UPDATE SET revision = price_revisions.revision + 1",
                      {scope}));
  return {};
}

Price freshPrice(const NewPrice& wanted, std::string_view user_id, Timestamp now) {
  Price price;
  price.id = newUuid(now);
  price.llm_id = wanted.llm_id;
  price.tokens = static_cast<const TokenPrices&>(wanted);
  price.prompt_unit = wanted.prompt_unit.value_or(std::string(kDefaultUnit));
  price.completion_unit = wanted.completion_unit.value_or(std::string(kDefaultUnit));
  price.effective_date = wanted.effective_date.value_or(now);
  price.provider_id = wanted.provider_id.value_or(std::string(kDefaultProvider));
  price.created_by = user_id;
  price.created_at = now;
  return price;
}

}  // namespace

Result<std::vector<Price>> PriceRepository::insert(std::string_view project_id,
                                                   std::string_view user_id,
                                                   const std::vector<NewPrice>& wanted) {
  const Timestamp now = clock_.now();
  std::vector<Price> prices;
  prices.reserve(wanted.size());
  for (const NewPrice& each : wanted) prices.push_back(freshPrice(each, user_id, now));
  if (prices.empty()) return prices;
  return database_.write([&](Session& session) -> Result<std::vector<Price>> {
    for (const Price& price : prices) {
      TRY(insertPrice(session, project_id, price));
    }
    TRY(identity::recordChange(session,
                               {.action = "price.create",
                                .target_id = prices.front().id,
                                .target_name = prices.front().llm_id,
                                .project_id = project_id,
                                .details = {{"count", std::to_string(prices.size())}}},
                               now));
    TRY(countChange(session, project_id));
    return prices;
  });
}

Result<void> PriceRepository::remove(std::string_view project_id,
                                     const std::vector<std::string>& ids) {
  return database_.write([&](Session& session) -> Result<void> {
    std::int64_t removed = 0;
    for (const std::string& id : ids) {
      const std::int64_t deleted = TRY(
          session.execute("DELETE FROM prices WHERE project_id = ? AND id = ?", {project_id, id}));
      removed += deleted;
    }
    if (removed == 0) return {};
    TRY(identity::recordChange(session,
                               {.action = "price.delete",
                                .target_id = ids.front(),
                                .project_id = project_id,
                                .details = {{"count", std::to_string(removed)}}},
                               clock_.now()));
    return countChange(session, project_id);
  });
}

Result<std::vector<Price>> PriceRepository::ofProject(std::string_view project_id) {
  return database_.read(
      [&](Session& session) { return selectPrices(session, "project_id = ?", {project_id}); });
}

Result<std::vector<Price>> PriceRepository::defaults() {
  return database_.read(
      [](Session& session) { return selectPrices(session, "project_id IS NULL"); });
}

Result<void> PriceRepository::putDefaults(const std::vector<Price>& prices) {
  if (prices.empty()) return {};
  return database_.write([&](Session& session) -> Result<void> {
    for (const Price& price : prices) {
      TRY(session.execute(
          "DELETE FROM prices WHERE project_id IS NULL AND llm_id = ? AND effective_date = ?",
          {price.llm_id, price.effective_date}));
      TRY(insertPrice(session, std::nullopt, price));
    }
    return countChange(session, kDefaultScope);
  });
}

Result<PriceRevisions> PriceRepository::revisions(std::string_view project_id) {
  return database_.read([&](Session& session) -> Result<PriceRevisions> {
    const Rows rows =
        TRY(session.query("SELECT scope, revision FROM price_revisions WHERE scope IN (?, ?)",
                          {project_id, kDefaultScope}));
    PriceRevisions revisions;
    for (const Row& row : rows) {
      const bool defaults = row.text("scope") == kDefaultScope;
      (defaults ? revisions.defaults : revisions.project) = row.integer("revision");
    }
    return revisions;
  });
}

std::optional<std::uint64_t> PriceRepository::changeToken() { return database_.changeToken(); }

}  // namespace spindle::pricing
