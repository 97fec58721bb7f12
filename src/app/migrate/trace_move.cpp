#include "app/migrate/trace_move.h"

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "app/migrate/or_throw.h"

namespace spindle::app {
namespace {

constexpr std::string_view kTracesFailed = "cannot move the traces";

/// Rows that expire within this time may vanish from a store while they are compared.
constexpr std::chrono::hours kExpiryMargin{1};

}  // namespace

TraceMove::TraceMove(TraceRows& from,
                     TraceRows& to,
                     const std::vector<columnar::Family>& families,
                     MovePositions& positions,
                     const MigrateOptions& options)
    : from_(from), to_(to), families_(families), positions_(positions), options_(options) {}

void TraceMove::prepareTarget(bool is_new) {
  const bool is_ours = orThrow(to_.beginMove(positions_.move(), positions_.exist()), kTracesFailed);
  if (options_.start_over) {
    orThrow(to_.clear(), kTracesFailed);
    positions_.reset();
    return;
  }
  const bool is_empty = orThrow(to_.projects(), kTracesFailed).empty();
  if (positions_.exist() && !is_empty) return;
  if (is_new && !is_ours && !is_empty) {
    throw std::runtime_error(
        "the trace store of the target already contains data: choose an empty one");
  }
  positions_.reset();
}

void TraceMove::copy() {
  const std::unique_ptr<transfer::Progress> progress = options_.progress(MoveUnit::kRows);
  std::int64_t done = positions_.rows();
  progress->begin(done, orThrow(from_.count(), kTracesFailed));
  for (const std::string& project : orThrow(from_.projects(), kTracesFailed)) {
    for (columnar::FamilyId family = 0; family < families_.size(); ++family) {
      const std::string_view name = families_[family].name.text();
      std::int64_t copied = positions_.rowsOf(name, project);
      const auto take = [&](TraceBatch batch) -> Result<void> {
        const auto rows = static_cast<std::int64_t>(batch.rows.size());
        if (rows > 0) TRY(to_.write(family, project, std::move(batch.rows)));
        copied += rows;
        if (batch.position) positions_.set(name, project, *batch.position, copied);
        progress->update(done += rows);
        return {};
      };
      orThrow(from_.read(family, project, positions_.of(name, project), to_.writtenForm(), take),
              kTracesFailed);
    }
  }
}

bool TraceMove::mayVanish(columnar::FamilyId family, const columnar::Row& row) const {
  for (const TraceRows* rows : {&from_, &to_}) {
    const std::size_t column = rows->expiryColumn(family);
    if (column == 0) continue;
    const auto* time = std::get_if<Timestamp>(&row[column]);
    if (time != nullptr && *time < compared_from_) return true;
  }
  return false;
}

Result<void> TraceMove::forEachRow(TraceRows& rows,
                                   columnar::FamilyId family,
                                   const std::string& project,
                                   const std::function<void(const columnar::Row& row)>& visit) {
  return rows.read(family, project, "", RowForm::kPortable,
                   [&](const TraceBatch& batch) -> Result<void> {
                     for (const columnar::Row& row : batch.rows) {
                       if (!mayVanish(family, row)) visit(row);
                     }
                     return {};
                   });
}

PartitionDigest TraceMove::digest(TraceRows& rows,
                                  columnar::FamilyId family,
                                  const std::string& project,
                                  transfer::Progress& progress) {
  PartitionDigest sum;
  orThrow(forEachRow(rows, family, project,
                     [&](const columnar::Row& row) {
                       sum.add(families_[family], row);
                       progress.update(++done_);
                     }),
          kTracesFailed);
  return sum;
}

RowsByKey TraceMove::part(TraceRows& rows,
                          columnar::FamilyId family,
                          const std::string& project,
                          std::size_t which) {
  RowsByKey found;
  orThrow(forEachRow(rows, family, project,
                     [&](const columnar::Row& row) {
                       const std::string& key = keyOf(families_[family], row);
                       if (PartitionDigest::partOf(key) == which) found[key] = digestOf(row);
                     }),
          kTracesFailed);
  return found;
}

StoreReport TraceMove::verify(Timestamp now) {
  StoreReport report;
  const std::unique_ptr<transfer::Progress> progress = options_.progress(MoveUnit::kRows);
  progress->begin(0, orThrow(from_.count(), kTracesFailed) + orThrow(to_.count(), kTracesFailed));
  compared_from_ = now + kExpiryMargin;
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
