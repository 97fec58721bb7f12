// A table of a list that comes in pages, with its states: loading, failed, refused, empty, more.

import type { ComponentChildren } from "preact";

import type { PagesState } from "../../api/cache";
import { Hidden } from "../../app/not_found";
import { Button } from "../../ui/button";
import { ErrorNote, Skeleton } from "../../ui/feedback";
import { Table, type TableProps } from "../../ui/table";

export interface PagedTableProps<Row> extends Omit<TableProps<Row>, "rows" | "empty"> {
  state: PagesState<Row>;
  /** What the list contains, for messages: "deliveries". */
  what: string;
  /** The rows to show, when the screen filters what was read. */
  rows?: Row[];
  /** Shown instead of the table when there are no rows. */
  empty: ComponentChildren;
}

export function PagedTable<Row>({ state, what, rows = state.items, empty, ...table }: PagedTableProps<Row>) {
  const { error, loading, hasMore } = state;
  if (loading) return <Skeleton lines={6} label={`Loading the ${what}`} />;
  if (error?.missing && state.items.length === 0) return <Hidden what={`list of ${what}`} />;
  return (
    <>
      {error && (
        <ErrorNote title={`The ${what} could not be read`} message={error.message} requestId={error.requestId}
          onRetry={state.refetch} retrying={state.refetching} />
      )}
      {rows.length > 0 && <div class="card"><Table {...table} rows={rows} /></div>}
      {rows.length === 0 && !error && !hasMore && empty}
      {rows.length === 0 && hasMore && <p class="soft more-none">None among the newest {state.items.length}.</p>}
      {hasMore && (
        <div class="more"><Button kind="quiet" icon="chevronDown" busy={state.loadingMore} onClick={state.more}>Show more</Button></div>
      )}
    </>
  );
}
