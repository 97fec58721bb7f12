// One request and its answer: headers and body, as text.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

import { formatBytes, utf8Bytes } from "../../format/bytes";
import { JsonView } from "../../ui/content/json_view";
import { CopyButton } from "../../ui/copy_button";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";

const TREE_LIMIT = 256 * 1024;
const ROW_HEIGHT = 20;
/** The bars above and below the rows of a JsonView. */
const BARS_HEIGHT = 76;

/** Returns the height at which JSON shows all its rows, up to a limit; null if the text is no object or list. */
function jsonHeight(text: string): number | null {
  if (!/^\s*[[{]/.test(text) || text.length > TREE_LIMIT) return null;
  try {
    const rows = JSON.stringify(JSON.parse(text), null, 1).split("\n").length;
    return Math.min(rows, 14) * ROW_HEIGHT + BARS_HEIGHT;
  } catch {
    return null;
  }
}

export function HeaderList({ headers }: { headers: Record<string, unknown> }) {
  const entries = Object.entries(headers);
  if (entries.length === 0) return <p class="faint">No headers.</p>;
  return (
    <dl class="headers">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt><SafeText text={name} line /></dt>
          <dd><SafeText text={Array.isArray(value) ? value.join(", ") : String(value)} line /></dd>
        </div>
      ))}
    </dl>
  );
}

export function BodyView({ text, label, truncated = false }: { text: string; label: string; truncated?: boolean }) {
  const height = useMemo(() => jsonHeight(text), [text]);
  return (
    <div class="body-view">
      <div class="body-head">
        <span>Body</span>
        <span class="faint">{formatBytes(utf8Bytes(text))}{truncated && ", the rest was not stored"}</span>
        {text !== "" && <CopyButton text={text} label={`Copy the ${label}`} />}
      </div>
      {text === "" ? <p class="faint body-none">Empty.</p>
        : height !== null ? <div class="body-json" style={{ height: `${height}px` }}><JsonView text={text} label={label} /></div>
          : <pre class="body-text" tabIndex={0} aria-label={label}><SafeText text={text} /></pre>}
    </div>
  );
}

export interface MessageProps {
  title: string;
  /** At the end of the title: the status, the duration. */
  note?: ComponentChildren;
  headers: Record<string, unknown> | null;
  body: string | null;
  truncated?: boolean;
  /** Shown when there is neither. */
  none: string;
}

/** A request or a response. */
export function Message({ title, note, headers, body, truncated = false, none }: MessageProps) {
  return (
    <section class="message card">
      <div class="message-head"><h2>{title}</h2>{note}</div>
      {headers === null && body === null ? <p class="message-none">{none}</p> : (
        <>
          {headers && <HeaderList headers={headers} />}
          {body !== null && <BodyView text={body} label={`body of the ${title.toLowerCase()}`} truncated={truncated} />}
        </>
      )}
    </section>
  );
}

/** The status of an answer with its sign: ✓ 204, ✕ 500. */
export function AnswerStatus({ status }: { status: number | null }) {
  if (status === null) return <Status state="error" word="no answer" />;
  return <Status state={status >= 200 && status < 300 ? "ok" : "error"} word={String(status)} />;
}
