#include "training/data/trajectory_spool.h"

#include <string_view>

#include "registry/repositories/blob_repository.h"

namespace spindle::training {

Result<TrajectorySpool> TrajectorySpool::open(TrainingFileStore& files, bool groups) {
  std::unique_ptr<TrainingFileWriter> intake = TRY(files.receive());
  return TrajectorySpool(files, std::move(intake), groups);
}

std::int64_t TrajectorySpool::lines() const {
  return by_group_ ? static_cast<std::int64_t>(groups_.size()) : trajectories_;
}

Result<void> TrajectorySpool::add(const Trajectory& trajectory) {
  std::string text;
  const ChatAnswer& answer = trajectory.row.answers.at(trajectory.answer);
  if (by_group_) {
    text = trajectoryJson(trajectory.row, answer, trajectory.reward, trajectory.notes);
    const auto [known, fresh] = group_of_.emplace(trajectory.group, groups_.size());
    if (fresh) groups_.emplace_back();
    groups_[known->second].push_back({written_, text.size()});
  } else {
    text = exampleLine(trajectory.row, answer) + "\n";
  }
  written_ += text.size();
  ++trajectories_;
  return intake_->add(text);
}

/// Writes the spooled trajectories as groups, one per line.
Result<StoredFile> TrajectorySpool::groupLines(const StoredFile& spool) {
  registry::BlobContent content = TRY(files_->open(spool.blob));
  std::unique_ptr<TrainingFileWriter> lines = TRY(files_->receive());
  for (const Group& group : groups_) {
    std::string_view before = R"({"trajectories":[)";
    for (const Spooled& spooled : group) {
      Result<void> added = lines->add(before);
      before = ",";
      for (std::size_t done = 0; added && done < spooled.size;) {
        const std::string piece = TRY(content.read(spooled.offset + done, spooled.size - done));
        if (piece.empty()) return Error::unavailable("A file ends too early.");
        done += piece.size();
        added = lines->add(piece);
      }
      if (!added) return std::move(added).error();
    }
    TRY(lines->add("]}\n"));
  }
  return lines->finish();
}

Result<registry::Version> TrajectorySpool::publish(ArtifactWriter& writer,
                                                   const registry::Place& place,
                                                   const registry::Actor& actor,
                                                   const std::string& name,
                                                   const std::string& project) {
  Result<StoredFile> kept = intake_->finish();
  if (kept && by_group_) kept = groupLines(*kept);
  if (!kept) return std::move(kept).error();
  registry::NewVersion fresh;
  fresh.collection = name;
  fresh.type = "dataset";
  fresh.metadata = exportMetadata({by_group_ ? "rl" : "sft", trajectories_, lines(), project});
  const std::vector<ArtifactFile> files = {
      {"trajectories.jsonl", kept->md5, kept->size,
       [this, blob = kept->blob](const ByteSink& sink) -> Result<void> {
         registry::BlobContent content = TRY(files_->open(blob));
         return copyTo(content, sink);
       }},
      fileOf("metadata.json", fresh.metadata)};
  return writer.write(place, actor, fresh, files);
}

}  // namespace spindle::training
