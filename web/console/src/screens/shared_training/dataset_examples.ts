// Stores the rows of a dataset as an artifact with one example per line.

import { beginVersion, commitVersion, createCollection } from "../../api/artifacts";
import { ApiError } from "../../api/errors";
import { listDatasets, queryTable } from "../../api/objects";
import { allPages } from "../../api/paging";
import { artifactPath } from "./artifact_path";
import { md5Base64 } from "./md5";

const PAGE = 1000;
/** The browser holds the rows; larger data are uploaded by command. */
const MOST_BYTES = 64 * 1024 * 1024;
const FILE = "train.jsonl";

/** Returns the line of a row, or a text that says why it has none. `members` names question and answer. */
export function exampleOf(row: unknown, members: { question: string; answer: string }): { line: Record<string, unknown> } | { problem: string } {
  if (typeof row !== "object" || row === null || Array.isArray(row)) return { problem: "the row is no object" };
  const record = row as Record<string, unknown>;
  if (members.question === "") {
    const { messages, tools } = record;
    const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
    if (typeof last !== "object" || last === null || (last as { role?: unknown }).role !== "assistant") return { problem: "messages do not end with an answer of the assistant" };
    return { line: { messages, ...(Array.isArray(tools) ? { tools } : {}) } };
  }
  const text = (name: string): string | null => {
    const value = record[name];
    return typeof value === "string" ? value : value === null || value === undefined ? null : JSON.stringify(value);
  };
  const question = text(members.question);
  const answer = text(members.answer);
  if (question === null) return { problem: `${members.question} is missing` };
  if (answer === null) return { problem: `${members.answer || "the member with the answer"} is missing` };
  return { line: { messages: [{ role: "user", content: question }, { role: "assistant", content: answer }] } };
}

async function readLines(project: string, dataset: string, members: { question: string; answer: string }): Promise<string> {
  const all = await allPages((cursor) => listDatasets(project, { cursor, limit: 200, latest_only: true }));
  const found = all.find(({ object_id }) => object_id === dataset);
  const digest = /\/table\/([0-9a-f]+)/.exec(found?.rows ?? "")?.[1];
  if (!digest) throw new ApiError(422, `The dataset ${dataset} has no table of rows.`, null);
  const lines: string[] = [];
  let bytes = 0;
  for (let offset = 0; ; offset += PAGE) {
    const { rows } = await queryTable({ project_id: project, digest, limit: PAGE, offset });
    for (const { val } of rows) {
      const example = exampleOf(val, members);
      if ("problem" in example) throw new ApiError(422, `Row ${lines.length + 1} of ${dataset}: ${example.problem}.`, null);
      const line = JSON.stringify(example.line);
      bytes += line.length + 1;
      if (bytes > MOST_BYTES) throw new ApiError(413, "The dataset is too large for the browser. Upload it with: spindle artifact put.", null);
      lines.push(line);
    }
    if (rows.length < PAGE) break;
  }
  if (lines.length === 0) throw new ApiError(422, `The dataset ${dataset} has no rows.`, null);
  return `${lines.join("\n")}\n`;
}

/** Returns the path of the artifact. The same rows make no second version. */
export async function storeDataset(project: string, dataset: string, members: { question: string; answer: string }): Promise<string> {
  const bytes = new TextEncoder().encode(await readLines(project, dataset, members));
  const name = `${dataset}-examples`;
  const home = { project };
  try {
    await createCollection(home, { name, type: "dataset" });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
  }
  const { version, uploads } = await beginVersion(home, name, {
    type: "dataset", manifest: { [FILE]: { digest: md5Base64(bytes), size: bytes.length } }, description: `Rows of the dataset ${dataset}`,
  });
  for (const { method, url, headers } of uploads) {
    // The signed address of this server, whatever name it gives itself. The signature is the right to write; a session would need its token too.
    const { pathname, search } = new URL(url, location.href);
    const answer = await fetch(pathname + search, { method, headers, body: bytes, credentials: "omit" });
    if (!answer.ok) throw new ApiError(answer.status, "The examples could not be uploaded.", null);
  }
  const committed = version.state === "COMMITTED" ? version : await commitVersion(home, name, version.id);
  return artifactPath({ project, name, version: `v${committed.version_index ?? 0}` });
}
