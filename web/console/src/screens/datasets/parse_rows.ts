// Reads rows from JSON Lines, a JSON list, or CSV.

import { plural } from "../../format/numbers";

export type Row = Record<string, unknown>;
export type Format = "jsonl" | "json" | "csv";

export interface RowProblem {
  line: number;
  message: string;
}

export interface ParsedRows {
  format: Format;
  rows: Row[];
  /** The first problems; rows with problems are left out. */
  problems: RowProblem[];
  /** The number of all problems. */
  failed: number;
}

const MOST_PROBLEMS = 20;

class Collector {
  readonly rows: Row[] = [];
  readonly problems: RowProblem[] = [];
  failed = 0;

  add(value: unknown, line: number): void {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) this.rows.push(value as Row);
    else this.fail(line, "A row must be an object such as {\"question\": \"…\"}.");
  }

  fail(line: number, message: string): void {
    this.failed += 1;
    if (this.problems.length < MOST_PROBLEMS) this.problems.push({ line, message });
  }

  result(format: Format): ParsedRows {
    return { format, rows: this.rows, problems: this.problems, failed: this.failed };
  }
}

/** Guesses the format by the name of the file and the first character. */
export function guessFormat(text: string, fileName = ""): Format {
  if (/\.(csv|tsv)$/i.test(fileName)) return "csv";
  const first = text.trimStart()[0];
  if (first === "[") return "json";
  return first === "{" ? "jsonl" : "csv";
}

function parseLines(text: string, found: Collector): void {
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === "") return;
    try {
      found.add(JSON.parse(line), index + 1);
    } catch (error) {
      found.fail(index + 1, error instanceof Error ? error.message : "This is no JSON.");
    }
  });
}

function parseList(text: string, found: Collector): void {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    found.fail(1, error instanceof Error ? error.message : "This is no JSON.");
    return;
  }
  if (Array.isArray(list)) list.forEach((item, index) => found.add(item, index + 1));
  else found.add(list, 1);
}

/** Splits CSV into records with the line on which each starts. Quotes hold separators and line breaks; `""` is a quote. */
export function csvRecords(text: string, separator: string): { line: number; cells: string[] }[] {
  const records: { line: number; cells: string[] }[] = [];
  let cells: string[] = [];
  let cell = "";
  let quoted = false;
  let [line, start] = [1, 1];
  const endRecord = () => {
    cells.push(cell);
    if (cells.length > 1 || cells[0] !== "") records.push({ line: start, cells });
    [cells, cell, start] = [[], "", line];
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quoted) {
      if (character === "\n") line += 1;
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (character === '"' && cell === "") quoted = true;
    else if (character === separator) {
      cells.push(cell);
      cell = "";
    } else if (character === "\n" || character === "\r") {
      if (character === "\r" && text[at + 1] === "\n") at += 1;
      line += 1;
      endRecord();
    } else cell += character;
  }
  if (cell !== "" || cells.length > 0) endRecord();
  return records;
}

/** Numbers, true, false, null, objects and lists become what they are; `007` and everything else stays a text. */
export function cellValue(cell: string): unknown {
  if (/^(-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|true|false|null)$/.test(cell) && cell.length < 17) return JSON.parse(cell);
  if (!/^[[{]/.test(cell)) return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

function parseTable(text: string, found: Collector, typed: boolean): void {
  const [firstLine = ""] = text.split(/\r?\n/, 1);
  const separator = [",", "\t", ";"].reduce((best, sign) => (firstLine.split(sign).length > firstLine.split(best).length ? sign : best));
  const [head, ...records] = csvRecords(text.replace(/^\uFEFF/, ""), separator);
  if (!head) return;
  const names = head.cells.map((name) => name.trim());
  if (names.some((name) => name === "") || new Set(names).size !== names.length) {
    found.fail(1, "The first line must name each column once.");
    return;
  }
  for (const { line, cells } of records) {
    if (cells.length !== names.length) found.fail(line, `The line has ${plural(cells.length, "cell")}, the head has ${names.length}.`);
    else found.add(Object.fromEntries(names.map((name, index) => [name, typed ? cellValue(cells[index]!) : cells[index]!])), line);
  }
}

export function parseRows(text: string, format: Format, typed = true): ParsedRows {
  const found = new Collector();
  if (format === "jsonl") parseLines(text, found);
  else if (format === "json") parseList(text, found);
  else parseTable(text, found, typed);
  return found.result(format);
}
