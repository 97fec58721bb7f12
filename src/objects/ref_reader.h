#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "objects/ref.h"

namespace spindle::objects {

class ObjectRepository;
class TableRepository;

/// What a ref points at.
struct RefValue {
  enum class State {
    kFound,    ///< also for null: a deleted object, or a step that leads nowhere
    kMissing,  ///< there never was such a version
  };
  State state = State::kMissing;
  std::string value = "null";  ///< JSON text with internal refs
};

/// Reads what object and op refs point at, many at once: one question to the database for all of a
/// project and a level of nesting. Steps that land on another ref go on from there as long as that
/// stays in the project; a ref into another one reads as null. Rows are found by
/// `…/attr/rows/id/<digest>`. Thread-safe; blocks on the database, and may return kUnavailable.
class RefReader {
 public:
  /// Both must outlive this.
  RefReader(ObjectRepository& objects, TableRepository& tables)
      : objects_(objects), tables_(tables) {}

  /// Internal refs of objects and ops, whose versions are digests, into projects that the caller
  /// may read. In the order given.
  Result<std::vector<RefValue>> read(const std::vector<Ref>& refs) const;

  /// The digests of those objects that never were, without reading any value. The same refs.
  Result<std::vector<std::string>> missing(const std::vector<Ref>& refs) const;

 private:
  ObjectRepository& objects_;
  TableRepository& tables_;
};

}  // namespace spindle::objects
