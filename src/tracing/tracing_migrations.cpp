#include "tracing/tracing_migrations.h"

namespace spindle::tracing {

storage::AreaSchema tracingSchema() {
  return {"tracing",
          {
              {1, "retention", R"(
CREATE TABLE call_retention (
  project_id TEXT NOT NULL PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  days BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
)"},
          }};
}

}  // namespace spindle::tracing
