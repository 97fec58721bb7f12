// Content of the gallery.

import { TreeModel } from "../../src/ui/list/tree_model.ts";

export interface Call {
  id: string;
  time: string;
  name: string;
  status: string;
  latency: number;
  tokens: number;
  cost: number;
  user: string;
  input: string;
}

const NAMES = ["chat gpt-4o", "planner", "search", "rerank", "embed"];
const STATES = ["success", "success", "error", "running", "descendant_error"];

export function callAt(index: number): Call {
  return {
    id: `call-${index}`, time: new Date(Date.UTC(2026, 10, 18, 8, 53, 20) - index * 977).toISOString(), name: NAMES[index % 5]!, status: STATES[(index * 7) % 5]!,
    latency: ((index * 7919) % 12_000) + 3, tokens: (index * 31) % 9000, cost: ((index * 31) % 9000) * 2.5e-6, user: ["ada", "bob", "eve"][index % 3]!,
    input: index % 11 === 0 ? "abc\u202Etxt.exe <script>alert(1)</script>" : `{"messages":[{"role":"user","content":"Where is order ${index}?"}]}`,
  };
}

/** A trace with 10,000 spans: a root, agents, model calls and tools. */
export function trace(count = 10_000) {
  const parent: number[] = [-1];
  const start: number[] = [0];
  const end: number[] = [60_000];
  for (let i = 1; i < count; i++) {
    const above = i < 40 ? 0 : i % 7 === 0 ? i - 1 : Math.floor(i / 7);
    parent.push(above);
    const from = start[above]! + ((i * 37) % 100) / 100 * Math.max(1, end[above]! - start[above]!) * 0.6;
    start.push(from);
    end.push(i % 997 === 0 ? NaN : Math.min(Number.isNaN(end[above]!) ? 60_000 : end[above]!, from + 5 + ((i * 13) % 700)));
  }
  return { model: new TreeModel(parent, start), start, end };
}

/** JSON of about `bytes` bytes. */
export function bigJson(bytes: number): string {
  const items: string[] = [];
  for (let size = 0, i = 0; size < bytes; i++) {
    const item = `{"id":${i},"big":12345678901234567890.50,"text":"row ${i} with \\"quotes\\" and \\u00e9","list":[1,2.0,true,null],"deep":{"a":{"b":{}}}}`;
    items.push(item);
    size += item.length + 1;
  }
  return `[${items.join(",")}]`;
}

export const MARKDOWN = `# Answer

The order **comes back** within _three_ days, see [the policy](https://example.com/policy?a=1&b=2).

| item | days |
|---|---|
| refund | 3 |

1. Open the order
2. Press \`Refund\`

- [x] done
- [ ] open

> Quoted words

\`\`\`python
def refund(order: int) -> bool:
    return order < 17
\`\`\`

<b onclick="alert(1)">HTML is text</b> ![a map](https://example.com/map.png)
`;

export const HOSTILE: string[] = [
  "<script>window.hacked = 1</script>", "<img src=x onerror=\"window.hacked = 1\">", "<svg onload=\"window.hacked = 1\"><animate onbegin=\"window.hacked=1\"/></svg>",
  "[click](javascript:window.hacked=1)", "[click](JaVaScRiPt:window.hacked=1)", "[click](&#106;avascript:window.hacked=1)", "[click](data:text/html,<script>window.hacked=1</script>)",
  "[click](vbscript:x)", "[x](//example.com/x)", "[x](/console/delete)", "![x](javascript:window.hacked=1)", "![x](https://example.com/track.png)", "<javascript:window.hacked=1>",
  "[a]: javascript:window.hacked=1\n\n[a]", "<a href=\"javascript:window.hacked=1\">x</a>", "<iframe src=\"javascript:window.hacked=1\"></iframe>", "<style>body{display:none}</style>",
  "<base href=\"https://example.com/\">", "<meta http-equiv=\"refresh\" content=\"0;url=https://example.com\">", "<form action=\"https://example.com\"><input name=x></form>",
  "\u202Egnp.exe\u202C", "\u0000\u0007\u001b[31mred", "a\u200bb\ufeff", "\u{e0061}\u{e0062}", "```html\n<script>window.hacked=1</script>\n```", "`<img src=x onerror=window.hacked=1>`",
  "> ".repeat(10_000) + "deep", "- ".repeat(5000) + "x", "[".repeat(10_000), "*".repeat(10_000), "_a".repeat(9000), "`".repeat(9999), "![".repeat(5000), "<".repeat(20_000), "\\".repeat(20_000),
  "[a](".repeat(5000), "|".repeat(20_000) + "\n" + "|-".repeat(10_000), "x".repeat(39_999), "1. ".repeat(3000), "#".repeat(10_000), "~".repeat(9999), "((((".repeat(4000), "&lt;".repeat(5000),
  "constructor", "__proto__", "toString", "{\"__proto__\":{\"x\":1}}", "${window.hacked=1}", "{{constructor.constructor('window.hacked=1')()}}",
  "\"><script>window.hacked=1</script>", "' onmouseover='window.hacked=1", "</textarea><script>window.hacked=1</script>", "</title><script>window.hacked=1</script>", "<!--<script>window.hacked=1</script>-->",
  "<math><mi xlink:href=\"javascript:window.hacked=1\">", "<details open ontoggle=\"window.hacked=1\">", "<video><source onerror=\"window.hacked=1\"></video>", "[x](https://example.com\u202e/moc.elpmaxe)",
  "[x](mailto:a@example.com?subject=x)", "https://example.com/auto", "=cmd|' /C calc'!A0", "\ud800\udc00\ud800", "<object data=\"javascript:window.hacked=1\">", "<embed src=\"javascript:window.hacked=1\">",
];

export const DEEP_JSON = "[".repeat(10_000) + "]".repeat(10_000);
