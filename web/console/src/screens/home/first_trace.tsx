// What to do in a project without traces: code to copy, and a live wait for the first trace.

import { useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import { type CallRow, listCalls } from "../../api/calls";
import { ApiError } from "../../api/errors";
import { createApiKey } from "../../api/identity";
import { useLive } from "../../api/live";
import { href, paths } from "../../app/location";
import { Button } from "../../ui/button";
import { Snippet } from "../../ui/feedback";
import { Icon } from "../../ui/icons";
import { SafeText } from "../../ui/safe_text";
import { Tabs } from "../../ui/tabs";
import { callName } from "../shared_calls/call_facts";
import { type SnippetTab, snippets } from "./snippets";

const WAIT_MS = 2000;

/** Reads the newest root call of a project; null while there is none, or no such project yet. */
async function newestTrace(project: string, signal: AbortSignal): Promise<CallRow | null> {
  try {
    const { items } = await listCalls(
      {
        project_id: project,
        filter: { trace_roots_only: true },
        sort_by: [{ field: "started_at", direction: "desc" }],
        limit: 1,
        columns: ["id", "trace_id", "op_name", "display_name", "started_at"],
      },
      signal,
    );
    return items[0] ?? null;
  } catch (error) {
    // The server creates a project at its first write.
    if (error instanceof ApiError && error.missing) return null;
    throw error;
  }
}

export function FirstTrace({ project }: { project: string }) {
  const [tab, setTab] = useState<SnippetTab["name"]>("python");
  const key = useMutation({
    change: () => createApiKey({ name: `console ${new Date().toISOString().slice(0, 19)}` }),
    invalidates: [["api keys"]],
  });
  const first = useQuery({
    key: ["first trace", project],
    read: (signal) => newestTrace(project, signal),
    every: (data) => (data ? false : WAIT_MS),
    staleTime: 0,
    keep: false,
  });
  useLive("calls", project, () => first.refetch());
  const server = new URL("..", document.baseURI).href.replace(/\/$/, "");
  const tabs = snippets({ server, project, key: key.data?.key ?? "YOUR_API_KEY" });
  const open = tabs.find(({ name }) => name === tab) ?? tabs[0];
  return (
    <div class="first-trace">
      <div class="first-key">
        {key.data ? (
          <span class="soft">
            <Icon name="check" /> The key <code>{key.data.key_id}…</code> is in the code below. It is shown this once.
          </span>
        ) : (
          <>
            <span class="soft">The code needs an API key of yours.</span>
            <Button icon="key" busy={key.pending} onClick={() => void key.run().catch(() => undefined)}>Create a key and fill it in</Button>
          </>
        )}
        {key.error && <span class="ui-field-error" role="alert">{key.error.message}</span>}
      </div>
      <Tabs label="Ways to send a trace" tabs={tabs} open={tab} onOpen={setTab}>
        <div class="stack">{open?.parts.map((part) => <Snippet key={part.title} {...part} />)}</div>
      </Tabs>
      <div class="first-wait" role="status">
        {first.data ? (
          <>
            <span class="first-done"><Icon name="check" /></span>
            <span>
              <strong>The first trace is here:</strong>{" "}
              <SafeText text={callName(first.data)} line />
            </span>
            <Button kind="primary" href={href(paths.trace(project, first.data.trace_id ?? first.data.id))}>Open the trace</Button>
          </>
        ) : (
          <>
            <span class="pulse" aria-hidden="true" />
            <span class="soft">Waiting for the first trace of <SafeText text={project} line />. It appears here by itself.</span>
          </>
        )}
      </div>
    </div>
  );
}
