// The order in which a list showed traces, so that the trace screen can step through it.

export interface Neighbour {
  trace: string;
  /** The call of the row, unless it is the root. */
  span: string | null;
}

let listed: { project: string; search: string; rows: readonly Neighbour[] } | null = null;

/** Remembers the rows of a list; `search` is the query string of its address, for the way back. */
export function rememberList(project: string, search: string, rows: readonly Neighbour[]): void {
  listed = { project, search, rows };
}

/** Returns the query string of the list that was left, or "". */
export function listSearch(project: string): string {
  return listed?.project === project ? listed.search : "";
}

/** Returns the rows before and behind a trace, or null if the list does not contain it. */
export function neighboursOf(project: string, trace: string, span: string | null): { before: Neighbour | null; after: Neighbour | null } | null {
  if (listed?.project !== project) return null;
  const { rows } = listed;
  const exact = rows.findIndex((row) => row.trace === trace && row.span === span);
  const place = exact >= 0 ? exact : rows.findIndex((row) => row.trace === trace);
  if (place < 0) return null;
  return { before: rows[place - 1] ?? null, after: rows[place + 1] ?? null };
}
