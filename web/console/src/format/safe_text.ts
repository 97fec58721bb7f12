// Text from elsewhere, with the characters made visible that hide or reorder what a reader sees.

/** A piece of a text: characters to show as they are, or the name of an invisible character. */
export interface TextPiece {
  text: string;
  /** The character's name when `text` is a mark such as `⟨RLO⟩`. */
  mark?: string;
}

const NAMES: Record<number, [string, string]> = {
  0x00ad: ["SHY", "soft hyphen"],
  0x061c: ["ALM", "Arabic letter mark"],
  0x115f: ["HCF", "Hangul choseong filler"],
  0x1160: ["HJF", "Hangul jungseong filler"],
  0x180e: ["MVS", "Mongolian vowel separator"],
  0x200b: ["ZWSP", "zero width space"],
  0x200e: ["LRM", "left-to-right mark"],
  0x200f: ["RLM", "right-to-left mark"],
  0x2028: ["LS", "line separator"],
  0x2029: ["PS", "paragraph separator"],
  0x202a: ["LRE", "left-to-right embedding"],
  0x202b: ["RLE", "right-to-left embedding"],
  0x202c: ["PDF", "pop directional formatting"],
  0x202d: ["LRO", "left-to-right override"],
  0x202e: ["RLO", "right-to-left override"],
  0x2060: ["WJ", "word joiner"],
  0x2066: ["LRI", "left-to-right isolate"],
  0x2067: ["RLI", "right-to-left isolate"],
  0x2068: ["FSI", "first strong isolate"],
  0x2069: ["PDI", "pop directional isolate"],
  0x3164: ["HF", "Hangul filler"],
  0xfeff: ["BOM", "byte order mark"],
  0xffa0: ["HHF", "halfwidth Hangul filler"],
};

const CONTROLS = [
  "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR", "SO", "SI", "DLE",
  "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
];

// Line breaks and tabs are layout; U+200C and U+200D join letters and emoji, so they stay. The tag characters
// U+E0000..E007F can carry a hidden message.
const HIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

function markOf(character: string): TextPiece {
  const code = character.codePointAt(0) ?? 0;
  const named = NAMES[code];
  if (named) return { text: `⟨${named[0]}⟩`, mark: `${named[1]} (${hex(code)})` };
  if (code < 0x20) return { text: `⟨${CONTROLS[code]}⟩`, mark: `control character ${hex(code)}` };
  const kind = code >= 0xd800 && code <= 0xdfff ? "lone surrogate" : "invisible character";
  return { text: `⟨${hex(code)}⟩`, mark: `${kind} ${hex(code)}` };
}

function hex(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Splits a text into visible pieces and marks. A CR before an LF is part of the line break. */
export function textPieces(text: string): TextPiece[] {
  const normal = text.includes("\r\n") ? text.replace(/\r\n/g, "\n") : text;
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const match of normal.matchAll(HIDDEN)) {
    if (match.index > end) pieces.push({ text: normal.slice(end, match.index) });
    pieces.push(markOf(match[0]));
    end = match.index + match[0].length;
  }
  if (end < normal.length || pieces.length === 0) pieces.push({ text: normal.slice(end) });
  return pieces;
}

/** Returns the text with marks in place of hidden characters, for titles, labels and attributes. */
export function visibleText(text: string): string {
  return isPlainText(text) ? text : textPieces(text).map((piece) => piece.text).join("");
}

/** Returns true if the text has no hidden characters. */
export function isPlainText(text: string): boolean {
  return text.search(HIDDEN) < 0;
}

/** Returns the text on one line: line breaks and tabs become `⏎` and a space. */
export function oneLine(text: string): string {
  return visibleText(text.replace(/\r\n?|\n/g, " ⏎ ").replace(/\t/g, " "));
}
