// Lists that come in pages.

/** The query of one page. A type, not an interface: only types fit into QueryValues. */
export type PageQuery = {
  /** At most 200. */
  limit?: number;
  /** `next_cursor` of the page before; "" for the first page. */
  cursor?: string;
};

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** Reads up to `most` items of a list. For short lists that a screen shows whole. */
export async function allPages<T>(read: (cursor: string) => Promise<Page<T>>, most = 2000): Promise<T[]> {
  const items: T[] = [];
  for (let cursor = ""; items.length < most; ) {
    const page = await read(cursor);
    items.push(...page.items);
    if (page.next_cursor === null || page.items.length === 0) break;
    cursor = page.next_cursor;
  }
  return items;
}
