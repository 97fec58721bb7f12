#include "app/migrate/trace_move.h"

#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "app/migrate/or_throw.h"

namespace spindle::app {
namespace {

constexpr std::string_view kTracesFailed = "cannot move the traces";

}  // namespace

TraceMove::TraceMove(TraceRows& from,
                     TraceRows& to,
                     const std::vector<columnar::Family>& families,
                     MovePositions& positions,
                     const MigrateOptions& options)
    : from_(from), to_(to), families_(families), positions_(positions), options_(options) {}

void TraceMove::prepareTarget(bool is_new) {
  const std::vector<std::string> projects = orThrow(to_.projects(), kTracesFailed);
  if (options_.start_over) {
    for (const std::string& project : projects) orThrow(to_.drop(project), kTracesFailed);
    positions_.reset();
    return;
  }
  if (positions_.exist()) return;
  if (is_new && !projects.empty()) {
    throw std::runtime_error(
        "the trace store of the target already contains data: choose an empty one");
  }
  positions_.reset();
}

void TraceMove::copy() {
  const std::unique_ptr<transfer::Progress> progress = options_.progress(MoveUnit::kRows);
  progress->begin(0, std::nullopt);
  std::int64_t done = 0;
  for (const std::string& project : orThrow(from_.projects(), kTracesFailed)) {
    for (columnar::FamilyId family = 0; family < families_.size(); ++family) {
      const std::string_view name = families_[family].name.text();
      const auto take = [&](TraceBatch batch) -> Result<void> {
        const auto rows = static_cast<std::int64_t>(batch.rows.size());
        if (rows > 0) TRY(to_.write(family, project, std::move(batch.rows)));
        if (batch.position) positions_.set(name, project, *batch.position);
        progress->update(done += rows);
        return {};
      };
      orThrow(from_.read(family, project, positions_.of(name, project), take), kTracesFailed);
    }
  }
}

PartitionDigest TraceMove::digest(TraceRows& rows,
                                  columnar::FamilyId family,
                                  const std::string& project,
                                  transfer::Progress& progress) {
  PartitionDigest sum;
  orThrow(rows.read(family, project, "",
                    [&](const TraceBatch& batch) -> Result<void> {
                      for (const columnar::Row& row : batch.rows) sum.add(families_[family], row);
                      progress.update(done_ += static_cast<std::int64_t>(batch.rows.size()));
                      return {};
                    }),
          kTracesFailed);
  return sum;
}

RowsByKey TraceMove::part(TraceRows& rows,
                          columnar::FamilyId family,
                          const std::string& project,
                          std::size_t which) {
  RowsByKey found;
  orThrow(rows.read(family, project, "",
                    [&](const TraceBatch& batch) -> Result<void> {
                      for (const columnar::Row& row : batch.rows) {
                        const std::string& key = keyOf(families_[family], row);
                        if (PartitionDigest::partOf(key) == which) found[key] = digestOf(row);
                      }
                      return {};
                    }),
          kTracesFailed);
  return found;
}

StoreReport TraceMove::verify() {
  StoreReport report;
  const std::unique_ptr<transfer::Progress> progress = options_.progress(MoveUnit::kRows);
  progress->begin(0, std::nullopt);
  std::set<std::string> projects;
  for (TraceRows* rows : {&from_, &to_}) {
    for (std::string& project : orThrow(rows->projects(), kTracesFailed))
      projects.insert(std::move(project));
  }
  std::string digests;
  for (columnar::FamilyId family = 0; family < families_.size(); ++family) {
    const std::string_view name = families_[family].name.text();
    for (const std::string& project : projects) {
      const PartitionDigest from = digest(from_, family, project, *progress);
      const PartitionDigest to = digest(to_, family, project, *progress);
      report.items += from.whole().rows();
      if (from.whole().rows() > 0)
        digests += fmt::format("{} {} {}\n", name, project, from.whole().text());
      const std::optional<std::size_t> different = from.firstDifference(to);
      if (!different) continue;
      std::string line = fmt::format("{} of project {}: {} rows in the source, {} in the target",
                                     name, project, from.whole().rows(), to.whole().rows());
      for (const std::string& example : describeDifferences(
               part(from_, family, project, *different), part(to_, family, project, *different)))
        line += "\n    " + example;
      report.differences.push_back(std::move(line));
    }
  }
  report.digest = toHex(sha256(digests));
  if (!report.differences.empty()) positions_.reset();
  return report;
}

}  // namespace spindle::app
