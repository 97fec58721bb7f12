#include "pricing/migrations.h"

namespace spindle::pricing {

storage::AreaSchema pricingSchema() {
  return {"pricing",
          {{1, "prices of tokens", R"sql(
    -- A price without a project is a default that the operator has imported.
    CREATE TABLE prices (
      number {serial_key},
      id TEXT NOT NULL UNIQUE,
      project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
      llm_id TEXT NOT NULL,
      prompt_token_cost DOUBLE PRECISION NOT NULL,
      completion_token_cost DOUBLE PRECISION NOT NULL,
      cache_read_input_token_cost DOUBLE PRECISION NOT NULL,
      cache_creation_input_token_cost DOUBLE PRECISION NOT NULL,
      prompt_token_cost_unit TEXT NOT NULL,
      completion_token_cost_unit TEXT NOT NULL,
      effective_date BIGINT NOT NULL,
      provider_id TEXT NOT NULL,
      created_by TEXT NOT NULL,
      created_at BIGINT NOT NULL);
    CREATE INDEX prices_of_project ON prices (project_id, number);
    CREATE UNIQUE INDEX prices_default ON prices (llm_id, effective_date) WHERE project_id IS NULL;

    -- Counts the changes of a project's prices, or of the defaults (scope ''): a reader that has seen
    -- a count need not read the prices again.
    CREATE TABLE price_revisions (
      scope TEXT PRIMARY KEY,
      revision BIGINT NOT NULL);
  )sql"}},
          {"price_revisions"}};
}

}  // namespace spindle::pricing
