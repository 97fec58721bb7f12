#include "s3/blobs/migrations.h"

namespace spindle::s3 {

storage::AreaSchema s3Schema() {
  return {"s3", {{1, "blobs in a bucket", R"sql(
    -- One row per blob; `name` is the SHA-256 in hexadecimal. A blob with `erasing_since` above 0 is
    -- being deleted by the process `eraser`.
    CREATE TABLE s3_blobs (
      name TEXT PRIMARY KEY,
      last_put_at BIGINT NOT NULL,
      erasing_since BIGINT NOT NULL,
      eraser TEXT NOT NULL);

    -- When the objects of a part of the bucket, by the first byte of their names, were last compared
    -- with the rows.
    CREATE TABLE s3_parts (part BIGINT PRIMARY KEY, compared_at BIGINT NOT NULL);

    -- One row: the token of this database in the bucket. A bucket has the blobs of one database.
    CREATE TABLE s3_owner (id BIGINT PRIMARY KEY, token TEXT NOT NULL);
  )sql"}}};
}

}  // namespace spindle::s3
