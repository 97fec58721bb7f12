// One call with all of its payloads, parsed and as text.

import { type QueryState, useQuery } from "../../api/cache";
import type { Call } from "../../api/calls";
import { readBlob } from "../../api/client";
import { ApiError } from "../../api/errors";
import { memberTexts } from "./member_texts";

export interface FullCall {
  call: Call;
  /** The JSON text of the call. */
  text: string;
  /** The JSON text of a member, or "null". */
  member: (name: string) => string;
}

/** Above this a value is not parsed: it is shown as text only. */
const PARSED_BYTES = 20_000_000;

export async function readFullCall(project: string, id: string, signal?: AbortSignal): Promise<FullCall> {
  const blob = await readBlob("call/read", { method: "POST", body: { project_id: project, id, include_costs: true }, signal });
  const text = memberTexts(await blob.text()).get("call") ?? "null";
  if (text === "null") throw new ApiError(404, "There is no such call.");
  const members = memberTexts(text);
  const small = (name: string) => (members.get(name)?.length ?? 0) <= PARSED_BYTES;
  const shown = text.length <= PARSED_BYTES
    ? text
    : `{${[...members].filter(([name]) => small(name)).map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
  return { call: JSON.parse(shown) as Call, text, member: (name) => members.get(name) ?? "null" };
}

export function useFullCall(project: string, id: string | null): QueryState<FullCall> {
  return useQuery({
    key: ["call", project, id],
    enabled: id !== null,
    // A finished call does not change; a running one is read again.
    staleTime: 30_000,
    every: (data) => (data && data.call.ended_at === null ? 3000 : false),
    read: (signal) => readFullCall(project, id ?? "", signal),
  });
}
