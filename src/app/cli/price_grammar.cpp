#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/grammars.h"
#include "app/cli/options.h"

namespace spindle::app {
namespace {

/// The options of `spindle prices import`, before `date` is parsed.
struct PriceOptions {
  ImportPrices prices;
  std::optional<std::string> date;
};

Result<ImportPrices> importOf(const PriceOptions& options) {
  ImportPrices prices = options.prices;
  if (options.date) {
    const ParsedTimestamp date = parseTimestamp(*options.date);
    if (!date || options.date->find('-') == std::string::npos)
      return Error::invalidArgument(fmt::format(
          "--date: expected a date such as 2026-12-31, but found \"{}\"", *options.date));
    prices.date = *date.value;
  }
  return prices;
}

}  // namespace

void addPriceCommands(CommandBuilder& builder) {
  CLI::App* group = builder.group("prices", "Manage the default token prices of all projects.");
  const auto [import, options] =
      builder.add(group, {"import", "Import default prices from a JSON file."}, PriceOptions(),
                  builder.commandFrom<PriceCommand>(importOf));
  addPositional(import, "FILE", options.prices.file,
                "JSON map from model to input_cost_per_token, output_cost_per_token, ...");
  addOption(import, "--date", options.date, "DATE",
            "Date from which the prices apply; today if omitted");
  import->add_flag("--dry-run", options.prices.dry_run, "Print the changes without storing them");
  builder.addJsonFlag(import, PriceCommand::kJsonText);
  const auto [list, listed] =
      builder.add(group, {"ls", "List the default prices, built in and imported."}, ListPrices(),
                  builder.commandFrom<PriceCommand>());
  addOption(list, "--model", listed.model, "MODEL", "Only the prices of this model");
  builder.addJsonFlag(list, PriceCommand::kJsonText);
}

}  // namespace spindle::app
