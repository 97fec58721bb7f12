#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "app/cli/given_file.h"
#include "app/commands/command_groups.h"
#include "app/commands/command_output.h"
#include "app/commands/opened_folder.h"
#include "app/commands/table.h"
#include "app/server/built_in_prices.h"
#include "pricing/price_file.h"
#include "pricing/price_import.h"
#include "pricing/price_repository.h"

namespace spindle::app {
namespace {

using pricing::CommunityPriceFile, pricing::ImportPlan, pricing::Price, pricing::PriceChange,
    pricing::PriceTable;

Cell before(const PriceChange& change, double pricing::TokenPrices::*member) {
  return change.before ? Cell::number((*change.before).*member)
                       : Cell(std::optional<std::string>());
}

/// Executes one command on the default prices.
class PriceCommandRunner {
 public:
  explicit PriceCommandRunner(OpenedFolder& opened)
      : prices_(*opened.identity.database, opened.clock), clock_(opened.clock) {}

  Result<CommandOutput> operator()(const ImportPrices& command) {
    const Timestamp now = clock_.now();
    const Timestamp date = command.date.value_or(std::chrono::floor<std::chrono::days>(now));
    Result<CommunityPriceFile> file = pricing::readCommunityPriceFile(fileText(command.file), date);
    if (!file) return Error::invalidArgument(command.file + ": " + file.error().message());
    std::vector<Price> imported = TRY(prices_.defaults());
    const pricing::ProjectPrices known({std::make_shared<const PriceTable>(builtInPrices()),
                                        std::make_shared<const PriceTable>(std::move(imported))});
    const ImportPlan plan = pricing::planImport(known, std::move(file->prices), now);
    if (!command.dry_run) {
      std::vector<Price> fresh;
      for (const PriceChange& change : plan.changes) fresh.push_back(change.price);
      TRY(prices_.putDefaults(fresh));
    }
    return importOutcome(plan, file->skipped, command.dry_run);
  }

  Result<CommandOutput> operator()(const ListPrices& command) {
    std::vector<Price> imported = TRY(prices_.defaults());
    std::vector<std::pair<Price, const char*>> rows;
    for (Price& price : builtInPrices()) rows.emplace_back(std::move(price), "built-in");
    for (Price& price : imported) rows.emplace_back(std::move(price), "imported");
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return std::tie(a.first.llm_id, a.first.effective_date) <
             std::tie(b.first.llm_id, b.first.effective_date);
    });
    CommandOutput outcome;
    outcome.table.headings = {"model",      "provider",       "prompt",         "completion",
                              "cache_read", "cache_creation", "effective_date", "source"};
    for (const auto& [price, source] : rows) {
      if (command.model && price.llm_id != *command.model) continue;
      outcome.table.rows.push_back(
          {price.llm_id, price.provider_id, Cell::number(price.tokens.prompt),
           Cell::number(price.tokens.completion), Cell::number(price.tokens.cache_read),
           Cell::number(price.tokens.cache_creation), formatTimestamp(price.effective_date),
           source});
    }
    return outcome;
  }

 private:
  static CommandOutput importOutcome(const ImportPlan& plan, std::size_t skipped, bool dry_run) {
    CommandOutput outcome;
    outcome.table.headings = {
        "model",      "change",        "prompt_before", "prompt", "completion_before",
        "completion", "effective_date"};
    std::size_t changed = 0;
    for (const PriceChange& change : plan.changes) {
      const Price& price = change.price;
      changed += change.before ? 1 : 0;
      outcome.table.rows.push_back(
          {price.llm_id, change.before ? "changed" : "new",
           before(change, &pricing::TokenPrices::prompt), Cell::number(price.tokens.prompt),
           before(change, &pricing::TokenPrices::completion), Cell::number(price.tokens.completion),
           formatTimestamp(price.effective_date)});
    }
    outcome.note = fmt::format("{} new, {} changed, {} unchanged, {} without token prices{}",
                               plan.changes.size() - changed, changed, plan.unchanged, skipped,
                               dry_run ? "; nothing was stored" : "");
    return outcome;
  }

  pricing::PriceRepository prices_;
  const Clock& clock_;
};

}  // namespace

int runGroup(const config::Loaded& loaded, const PriceCommand& command) {
  return runOnFolder<PriceCommandRunner>(loaded, command);
}

}  // namespace spindle::app
