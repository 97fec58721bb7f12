#pragma once

#include <string>
#include <vector>

#include "base/core/result.h"
#include "objects/values/ref.h"

namespace spindle::objects {

class ObjectRepository;
class TableRepository;

/// The value of a ref.
struct RefValue {
  enum class State {
    kFound,    ///< also for null: a deleted object, or a path that does not exist
    kMissing,  ///< the version never existed
  };
  State state = State::kMissing;
  std::string value = "null";  ///< JSON text with internal refs
};

/// Reads the values of object and op refs in batches: one database query per project and nesting
/// level. A path that reaches another ref continues there if it is in the same project; a ref into
/// another project reads as null. `…/attr/rows/id/<digest>` selects a table row. Thread-safe;
/// blocks on the database and may return kUnavailable.
class RefReader {
 public:
  /// Both must outlive this object.
  RefReader(ObjectRepository& objects, TableRepository& tables)
      : objects_(objects), tables_(tables) {}

  /// Reads internal refs of objects and ops with digests as versions, in projects that the caller
  /// may read. Returns the values in the given order.
  Result<std::vector<RefValue>> read(const std::vector<Ref>& refs) const;

  /// Returns the digests of the objects that never existed, for the same refs. Reads no values.
  Result<std::vector<std::string>> missing(const std::vector<Ref>& refs) const;

 private:
  ObjectRepository& objects_;
  TableRepository& tables_;
};

}  // namespace spindle::objects
