// Shortened texts. Cuts never split a surrogate pair or a joined emoji.

const ELLIPSIS = "…";

let segmenter: Intl.Segmenter | undefined;

/** Returns the longest start of `text` with at most `units` UTF-16 units that ends at the end of a visible character. */
export function cutText(text: string, units: number): string {
  if (text.length <= units) return text;
  if (units <= 0) return "";
  // A joined emoji has at most about 40 units, so a short window before the cut is enough.
  const start = safeStart(text, Math.max(0, units - 64));
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let end = start;
  for (const { index, segment } of segmenter.segment(text.slice(start, units + 64))) {
    if (start + index + segment.length > units) break;
    end = start + index + segment.length;
  }
  // A text of combining marks alone has no better place.
  return text.slice(0, end > start || start > 0 ? end : units);
}

function safeStart(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit < 0xe000 ? index + 1 : index;
}

/** Shortens a text at its end: `Where is or…`. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : cutText(text, Math.max(0, length - 1)) + ELLIPSIS;
}

/** Shortens a text in the middle, for ids and paths whose end matters: `svc:///ac…3f9`. */
export function truncateMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.floor((length - 1) / 2);
  const head = cutText(text, length - 1 - tail);
  const end = safeStart(text, text.length - tail);
  return head + ELLIPSIS + text.slice(end);
}
