// Servers to which requests for models are forwarded.

import { useState } from "preact/hooks";

import { useMutation, usePages } from "../../api/cache";
import { type NewUpstream, type Upstream, addUpstream, changeUpstream, listUpstreams, removeUpstream, testUpstream } from "../../api/inference";
import { toast } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatDuration } from "../../format/durations";
import { plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Empty } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { Checkbox, NumberInput, SecretInput, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { FormDialog } from "../shared_parts/form_dialog";
import { PagedTable } from "../shared_parts/paged_table";

const KEY = ["upstreams"];
const SHOWN = ["name", "url", "key"];

function UpstreamDialog({ upstream, onClose }: { upstream: Upstream | null; onClose: () => void }) {
  const [name, setName] = useState(upstream?.name ?? "");
  const [url, setUrl] = useState(upstream?.url ?? "");
  const [key, setKey] = useState("");
  const [removeKey, setRemoveKey] = useState(false);
  const [connect, setConnect] = useState<number | null>(upstream?.connect_timeout_ms ?? 5000);
  const [first, setFirst] = useState<number | null>(upstream?.first_token_timeout_ms ?? 120_000);
  const [idle, setIdle] = useState<number | null>(upstream?.idle_timeout_ms ?? 60_000);
  const [health, setHealth] = useState(upstream?.health_path ?? "/models");
  const [usage, setUsage] = useState(upstream?.stream_usage ?? true);
  const save = useMutation({
    change: () => {
      const body: Omit<NewUpstream, "name"> = {
        url: url.trim(), health_path: health.trim(), stream_usage: usage,
        ...(connect === null ? {} : { connect_timeout_ms: connect }),
        ...(first === null ? {} : { first_token_timeout_ms: first }),
        ...(idle === null ? {} : { idle_timeout_ms: idle }),
        ...(removeKey ? { key: null } : key === "" ? {} : { key }),
      };
      return upstream ? changeUpstream(upstream.name, body) : addUpstream({ name: name.trim(), ...body });
    },
    invalidates: [KEY],
    done: (saved) => {
      toast({ kind: "ok", text: upstream ? "The upstream is changed." : `The upstream ${saved.name} is added. Test it, then add its models.` });
      onClose();
    },
  });
  const error = (path: string) => save.error?.field(path) ?? null;
  return (
    <FormDialog
      title={upstream ? `Change ${upstream.name}` : "New upstream"} action={upstream ? "Save" : "Add the upstream"} size="medium"
      onClose={onClose} onSubmit={() => void save.run().catch(() => undefined)} valid={name.trim() !== "" && url.trim() !== ""} state={save} shown={SHOWN}
    >
      {!upstream && <Field label="Name" required hint="Cannot be changed later." error={error("name")}><TextInput value={name} onInput={setName} placeholder="vllm-1" /></Field>}
      <Field label="Address" required hint="The base address of its OpenAI-compatible API." error={error("url")}>
        <TextInput mono value={url} onInput={setUrl} placeholder="http://10.0.0.5:8000/v1" />
      </Field>
      <Field label="API key" hint={upstream?.has_key ? "A key is stored. Empty keeps it." : "Stored encrypted, never shown again. Empty: none."} error={error("key")}>
        <SecretInput value={key} onInput={setKey} disabled={removeKey} />
      </Field>
      {upstream?.has_key && <Checkbox checked={removeKey} onChange={setRemoveKey}>Remove the stored key</Checkbox>}
      <div class="triple">
        <Field label="To connect" error={error("connect_timeout_ms")}><NumberInput value={connect} min={1} step={1} unit="ms" onInput={setConnect} /></Field>
        <Field label="To the first token" error={error("first_token_timeout_ms")}><NumberInput value={first} min={1} step={1} unit="ms" onInput={setFirst} /></Field>
        <Field label="Between chunks" error={error("idle_timeout_ms")}><NumberInput value={idle} min={1} step={1} unit="ms" onInput={setIdle} /></Field>
      </div>
      <Field label="Path of the health check" hint="After the address. Empty: none." error={error("health_path")}><TextInput mono value={health} onInput={setHealth} /></Field>
      <Checkbox checked={usage} onChange={setUsage} hint="Without it, the tokens of streams cannot be counted.">It reports the usage of streams</Checkbox>
    </FormDialog>
  );
}

function TestResult({ upstream }: { upstream: Upstream }) {
  const test = useMutation({ change: () => testUpstream(upstream.name) });
  const { data, error } = test;
  return (
    <span class="upstream-test">
      <Button small icon="send" busy={test.pending} label={`Test ${upstream.name}`} onClick={() => void test.run().catch(() => undefined)}>Test</Button>
      <span role="status">
        {error && <Status state="error" word={error.message} />}
        {data && (
          <span title={data.models.join(", ")}>
            <Status
              state={data.success ? "ok" : "error"}
              word={data.success ? `${plural(data.models.length, "model")} in ${formatDuration(data.duration_ms)}` : (data.error ?? `status ${data.status}`)}
            />
          </span>
        )}
      </span>
    </span>
  );
}

export function Upstreams() {
  const upstreams = usePages<Upstream>({ key: KEY, read: (cursor, signal) => listUpstreams({ cursor, limit: 100 }, signal) });
  const [adding, setAdding] = useUrlState("new", codecs.flag());
  const [editing, setEditing] = useState<Upstream | null>(null);
  const [removing, setRemoving] = useState<Upstream | null>(null);
  const remove = useMutation({
    change: ({ name }: Upstream) => removeUpstream(name),
    invalidates: [KEY],
    done: () => {
      setRemoving(null);
      toast({ kind: "ok", text: "The upstream is removed." });
    },
  });
  const add = <Button icon="add" kind="primary" onClick={() => setAdding(true)}>New upstream</Button>;
  return (
    <div class="tab-content">
      {upstreams.items.length > 0 && <div class="tab-actions">{add}</div>}
      <PagedTable
        state={upstreams} what="upstreams" label="Upstreams" rowKey={({ id }) => id}
        empty={
          <Empty title="No upstreams" icon="external" actions={add}
            snippets={[{ title: "The same by command", text: "spindle upstream add vllm-1 http://10.0.0.5:8000/v1\nspindle upstream test vllm-1" }]}>
            <p>An upstream is a server with an OpenAI-compatible API: vLLM, SGLang, or a hosted provider. Requests for its models are forwarded.</p>
          </Empty>
        }
        columns={[
          { key: "name", title: "Name", cell: ({ name }) => <span class="nowrap"><SafeText text={name} line /></span> },
          { key: "url", title: "Address", cell: ({ url }) => <code class="nowrap"><SafeText text={url} line /></code> },
          { key: "key", title: "Key", cell: ({ has_key }) => (has_key ? "stored" : <span class="faint">none</span>) },
          { key: "first", title: "First token within", number: true, cell: (row) => formatDuration(row.first_token_timeout_ms) },
          { key: "test", title: "Test", wide: true, cell: (row) => <TestResult upstream={row} /> },
          {
            key: "actions", title: "Actions", hideTitle: true,
            cell: (row) => (
              <span class="row-actions">
                <Button small kind="quiet" icon="edit" label={`Change ${row.name}`} onClick={() => setEditing(row)} />
                <Button small kind="quiet" icon="trash" label={`Remove ${row.name}`} onClick={() => setRemoving(row)} />
              </span>
            ),
          },
        ]}
      />
      {adding && <UpstreamDialog upstream={null} onClose={() => setAdding(false, { replace: true })} />}
      {editing && <UpstreamDialog upstream={editing} onClose={() => setEditing(null)} />}
      <ConfirmDialog
        open={removing !== null} title={`Remove the upstream ${removing?.name ?? ""}?`} action="Remove" busy={remove.pending} error={remove.error?.message ?? null}
        onClose={() => setRemoving(null)} onConfirm={() => { if (removing) void remove.run(removing).catch(() => undefined); }}
      >
        <p>The server refuses this while models use it. Its key is deleted.</p>
      </ConfirmDialog>
    </div>
  );
}
