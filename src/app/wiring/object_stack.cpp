#include "app/wiring/object_stack.h"

namespace spindle::app {

ObjectStack::ObjectStack(IdentityStack& identity,
                         const storage::DataFolder& folder,
                         const Clock& clock)
    : blobs(folder.fileAt("files")),
      objects(*identity.database, clock),
      labels(*identity.database),
      tables(*identity.database, clock),
      files(*identity.database, blobs, clock),
      refs(objects, tables),
      identity_(identity) {}

objects::ObjectServices ObjectStack::services() {
  return {objects, labels, tables, files, refs, identity_.access, identity_.projects};
}

}  // namespace spindle::app
