#include "app/wiring/object_stack.h"

#include "app/blobs/blob_stores.h"

namespace spindle::app {

ObjectStack::ObjectStack(const StackContext& context, IdentityStack& identity)
    : blob_store(
          openBlobStore(context.settings.files, context.folder, *identity.database, context.clock)),
      blobs(*blob_store),
      objects(*identity.database, context.clock),
      labels(*identity.database),
      tables(*identity.database, context.clock),
      files(*identity.database, blobs, context.clock),
      refs(objects, tables),
      identity_(identity) {}

objects::ObjectServices ObjectStack::services() {
  return {objects, labels, tables, files, refs, identity_.access, identity_.projects};
}

}  // namespace spindle::app
