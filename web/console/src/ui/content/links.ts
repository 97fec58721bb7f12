// Links in content from elsewhere.

const ALLOWED = /^(https?|mailto):/i;

/** Returns the address if it is http, https or mailto, otherwise null. Relative addresses would lead into the console. */
export function safeHref(href: string): string | null {
  const trimmed = href.trim();
  if (!ALLOWED.test(trimmed)) return null;
  try {
    const url = new URL(trimmed);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}
