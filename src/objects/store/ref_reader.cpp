#include "objects/store/ref_reader.h"

#include <map>
#include <utility>

#include "objects/store/object_repository.h"
#include "objects/store/table_repository.h"
#include "objects/values/object_value.h"

namespace spindle::objects {
namespace {

// Values refer to each other by digest, so they cannot form a cycle, but they can form a long
// chain.
constexpr int kMaxFollowed = 32;

ObjectKey keyOf(const Ref& ref) {
  const ObjectKind kind = ref.kind == RefKind::kOp ? ObjectKind::kOp : ObjectKind::kObject;
  return {kind, ref.name, ref.version};
}

/// The state of one ref that is being read: its current target, and the slot of its result.
struct Task {
  std::size_t slot = 0;
  Ref at;                 ///< current object, op or table; its own edges are ignored
  std::size_t next = 0;   ///< first edge of the requested ref that was not followed yet
  bool followed = false;  ///< no longer at the requested object
};

/// Reads the tasks of one project, level by level.
class ProjectReading {
 public:
  ProjectReading(ObjectRepository& objects,
                 TableRepository& tables,
                 std::string project_id,
                 const std::vector<Ref>& requested,
                 std::vector<RefValue>& results)
      : objects_(objects),
        tables_(tables),
        project_id_(std::move(project_id)),
        requested_(requested),
        results_(results) {}

  void add(std::size_t slot) { pending_.push_back({slot, requested_[slot], 0, false}); }

  Result<void> run() {
    for (int level = 0; level < kMaxFollowed && !pending_.empty(); ++level) {
      std::vector<Task> objects;
      std::vector<Task> rows;
      for (Task& task : std::exchange(pending_, {})) {
        (task.at.kind == RefKind::kTable ? rows : objects).push_back(std::move(task));
      }
      TRY(readObjects(objects));
      TRY(readRows(rows));
    }
    return {};
  }

 private:
  Result<void> readObjects(const std::vector<Task>& tasks) {
    if (tasks.empty()) return {};
    std::vector<ObjectKey> keys;
    keys.reserve(tasks.size());
    for (const Task& task : tasks) keys.push_back(keyOf(task.at));
    const std::vector<StoredValue> values = TRY(objects_.values(project_id_, keys));
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const StoredValue& stored = values[i];
      RefValue& result = results_[tasks[i].slot];
      if (stored.state != StoredValue::State::kMissing || tasks[i].followed) {
        result.state = RefValue::State::kFound;
      }
      if (stored.state == StoredValue::State::kFound) continueFrom(tasks[i], stored.value);
    }
    return {};
  }

  Result<void> readRows(const std::vector<Task>& tasks) {
    std::vector<RowPosition> positions;
    positions.reserve(tasks.size());
    for (const Task& task : tasks) {
      positions.push_back({static_cast<std::int64_t>(positions.size()), edgeOf(task).value, 0});
    }
    if (positions.empty()) return {};
    const std::vector<TableRow> rows = TRY(tables_.rowsAt(project_id_, positions));
    for (const TableRow& row : rows) {
      Task task = tasks[static_cast<std::size_t>(row.index)];
      ++task.next;
      continueFrom(task, row.value);
    }
    return {};
  }

  /// Continues from a value that was read: to its end, or to the next read.
  void continueFrom(const Task& task, const std::string& value) {
    WalkResult walked = walk(value, requested_[task.slot].edges, task.next);
    RefValue& result = results_[task.slot];
    if (walked.kind == WalkResult::Kind::kValue) result.value = std::move(walked.text);
    if (walked.kind != WalkResult::Kind::kRef) return;
    const Result<Ref> target = parseRef(walked.text);
    if (!target || target->project != project_id_) return;
    Task onward{task.slot, *target, walked.next, true};
    const bool at_end = walked.next == requested_[task.slot].edges.size();
    const bool selects_row =
        !at_end && target->kind == RefKind::kTable && edgeOf(onward).kind == RefEdge::Kind::kRow;
    if (target->isObjectOrOp() || selects_row) {
      pending_.push_back(std::move(onward));
    } else if (at_end) {
      result.value = "\"" + printRef(*target) + "\"";  // needs no escapes
    }
  }

  const RefEdge& edgeOf(const Task& task) const { return requested_[task.slot].edges[task.next]; }

  ObjectRepository& objects_;
  TableRepository& tables_;
  std::string project_id_;
  const std::vector<Ref>& requested_;
  std::vector<RefValue>& results_;
  std::vector<Task> pending_;
};

}  // namespace

Result<std::vector<RefValue>> RefReader::read(const std::vector<Ref>& refs) const {
  std::vector<RefValue> results(refs.size());
  std::map<std::string, ProjectReading> projects;
  for (std::size_t slot = 0; slot < refs.size(); ++slot) {
    const std::string& project = refs[slot].project;
    projects.try_emplace(project, objects_, tables_, project, refs, results)
        .first->second.add(slot);
  }
  for (auto& [project, reading] : projects) {
    TRY(reading.run());
  }
  return results;
}

Result<std::vector<std::string>> RefReader::missing(const std::vector<Ref>& refs) const {
  std::map<std::string, std::vector<ObjectKey>> projects;
  for (const Ref& ref : refs) projects[ref.project].push_back(keyOf(ref));
  std::vector<std::string> digests;
  for (const auto& [project, keys] : projects) {
    const std::vector<StoredValue> values = TRY(objects_.values(project, keys, false));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (values[i].state == StoredValue::State::kMissing) digests.push_back(keys[i].digest);
    }
  }
  return digests;
}

}  // namespace spindle::objects
