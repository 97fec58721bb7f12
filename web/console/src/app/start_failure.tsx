// Shown when the session cannot be read at the start.

import type { ApiError } from "../api/errors";
import { ErrorNote } from "../ui/feedback";

export function StartFailure({ error }: { error: ApiError }) {
  return (
    <main class="bare">
      <div class="page page-narrow">
        <ErrorNote
          title="The console could not start"
          message={error.message}
          requestId={error.requestId}
          onRetry={() => location.reload()}
        />
      </div>
    </main>
  );
}
