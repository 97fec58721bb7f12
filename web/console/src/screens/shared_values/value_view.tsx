// One value in full: texts as Markdown or as they are, everything else as JSON.

import { JsonView } from "../../ui/content/json_view";
import { LazyMarkdown } from "../../ui/lazy";
import { SafeText } from "../../ui/safe_text";

const MARKDOWN_LIMIT = 40_000;

export interface ValueViewProps {
  value: unknown;
  label: string;
  /** Shows texts as they are. */
  plain?: boolean;
}

export function ValueView({ value, label, plain = false }: ValueViewProps) {
  if (value === undefined || value === null) return <span class="faint">{value === null ? "null" : "nothing"}</span>;
  if (typeof value === "string") {
    if (value === "") return <span class="faint">empty text</span>;
    if (plain || value.length > MARKDOWN_LIMIT) return <pre class="value-text"><SafeText text={value} /></pre>;
    return <LazyMarkdown text={value} />;
  }
  if (typeof value !== "object") return <code>{String(value)}</code>;
  const text = JSON.stringify(value, null, 2);
  const rows = Math.min(16, text.split("\n").length);
  return <div class="value-json" style={{ height: `${rows * 20 + 76}px` }}><JsonView text={text} label={label} /></div>;
}
