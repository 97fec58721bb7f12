// Processes of this machine that serve files, and adapters that made one end.

import { useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import { type Engine, listEngines, listQuarantinedAdapters, releaseAdapter, unloadEngine } from "../../api/inference";
import { Loaded, Section } from "../../app/page";
import { toast, toastError } from "../../app/toasts";
import { formatBytes } from "../../format/bytes";
import { formatPercent } from "../../format/numbers";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Empty } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Status, type Tone } from "../../ui/status";
import { Table } from "../../ui/table";
import { Ago, useNow } from "../shared_parts/ago";

const TONES: Record<Engine["state"], Tone> = {
  stopped: "neutral", inspecting: "running", fetching: "running", waiting: "running", starting: "running", ready: "ok", draining: "running", stopping: "running",
  backing_off: "warning", failed: "error",
};

function Adapters({ now }: { now: number }) {
  const adapters = useQuery({ key: ["quarantined adapters"], read: (signal) => listQuarantinedAdapters(signal) });
  const release = useMutation({
    change: (id: string) => releaseAdapter(id),
    invalidates: [["quarantined adapters"]],
    done: () => toast({ kind: "ok", text: "The adapter is released. The next request loads it again." }),
  });
  if (!adapters.data || adapters.data.items.length === 0) return null;
  return (
    <Section title="Quarantined adapters" lead="An engine ended while it used them. Requests for them are refused until they are released.">
      <div class="card">
        <Table
          label="Quarantined adapters" rows={adapters.data.items} rowKey={({ id }) => id}
          columns={[
            { key: "artifact", title: "Adapter", cell: ({ artifact }) => <code class="wrap"><SafeText text={artifact} line /></code> },
            { key: "model", title: "Model", cell: ({ model }) => <SafeText text={model} line /> },
            { key: "reason", title: "How the engine ended", wide: true, cell: ({ reason }) => <SafeText text={reason} /> },
            { key: "time", title: "Since", cell: ({ created_at }) => <Ago time={created_at} now={now} /> },
            {
              key: "actions", title: "Actions", hideTitle: true,
              cell: ({ id }) => <Button small busy={release.pending} onClick={() => void release.run(id).catch((error: unknown) => toastError("The adapter was not released", error))}>Release</Button>,
            },
          ]}
        />
      </div>
    </Section>
  );
}

export function Engines() {
  const engines = useQuery({ key: ["engines"], read: (signal) => listEngines(signal), every: 3000 });
  const now = useNow(5000);
  const [unloading, setUnloading] = useState<Engine | null>(null);
  const unload = useMutation({
    change: ({ model }: Engine) => unloadEngine(model),
    invalidates: [["engines"]],
    done: () => {
      setUnloading(null);
      toast({ kind: "ok", text: "The engine stops after its requests. The next request loads it again." });
    },
  });
  return (
    <div class="tab-content">
      <Loaded state={engines} what="list of engines">
        {({ items }) => items.length === 0 ? (
          <Empty title="No engines" icon="terminal" snippets={[{ title: "Serve a file", text: "spindle model add small --file ./small.gguf" }]}>
            <p>An engine starts when a model with a file is first asked, or with the server.</p>
          </Empty>
        ) : (
          <div class="card">
            <Table
              label="Engines" rows={items} rowKey={({ model }) => model}
              columns={[
                { key: "model", title: "Model", cell: ({ model }) => <code class="nowrap"><SafeText text={model} line /></code> },
                {
                  key: "state", title: "State",
                  cell: ({ state, progress }) => <Status state={state} tone={TONES[state]} word={state === "starting" ? `loading ${formatPercent(progress)}` : state.replaceAll("_", " ")} />,
                },
                { key: "since", title: "Since", cell: ({ since }) => <Ago time={since} now={now} /> },
                { key: "memory", title: "Memory", number: true, cell: ({ memory_bytes }) => formatBytes(memory_bytes) },
                { key: "leases", title: "Requests", number: true, cell: ({ leases }) => leases },
                { key: "waiting", title: "Waiting", number: true, cell: ({ waiting }) => waiting },
                { key: "restarts", title: "Restarts", number: true, cell: ({ restarts }) => restarts },
                {
                  key: "error", title: "Last error", wide: true,
                  cell: ({ last_error }) => (last_error ? <span class="ui-tone-error"><SafeText text={last_error} /></span> : <span class="faint">none</span>),
                },
                {
                  key: "actions", title: "Actions", hideTitle: true,
                  cell: (row) => row.pid !== null && <Button small onClick={() => setUnloading(row)}>Unload</Button>,
                },
              ]}
            />
          </div>
        )}
      </Loaded>
      <div class="engines-more"><Adapters now={now} /></div>
      <ConfirmDialog
        open={unloading !== null} danger={false} title={`Unload ${unloading?.model ?? ""}?`} action="Unload" busy={unload.pending} error={unload.error?.message ?? null}
        onClose={() => setUnloading(null)} onConfirm={() => { if (unloading) void unload.run(unloading).catch(() => undefined); }}
      >
        <p>Its memory becomes free after the requests that it serves now. The next request loads it again.</p>
      </ConfirmDialog>
    </div>
  );
}
