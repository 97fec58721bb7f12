// Tables that texts from elsewhere are looked up in.

/** Returns a table without inherited members: `constructor` and `__proto__` name nothing in it. */
export function lookup<T>(entries: Record<string, T>): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, entries);
}
