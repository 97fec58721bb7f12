// The catalogue: names that requests may use, and what serves them.

import { useState } from "preact/hooks";

import { useMutation, usePages } from "../../api/cache";
import { type CatalogueModel, listModels, removeModel } from "../../api/inference";
import { href, paths } from "../../app/location";
import { useMe } from "../../app/me";
import { toast } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCount } from "../../format/numbers";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Empty } from "../../ui/feedback";
import { TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { PagedTable } from "../shared_parts/paged_table";
import { ModelDialog } from "./model_dialog";

const KEY = ["catalogue"];

function Served({ model }: { model: CatalogueModel }) {
  const remote = model.targets?.filter(({ upstream }) => upstream) ?? [];
  const file = model.file ?? (model.file_sha256 ? `sha256:${model.file_sha256.slice(0, 12)}` : null);
  if (!file && remote.length === 0) return <span class="faint">{model.targets === null ? model.owned_by : "nothing"}</span>;
  return (
    <span class="targets">
      {file && <code class="wrap"><SafeText text={file} line /></code>}
      {remote.map(({ upstream, model: name, tier }) => (
        <span key={`${upstream}/${name}`} class="nowrap">
          <SafeText text={`${upstream}${name ? ` → ${name}` : ""}`} line />{(tier ?? 0) > 0 && <span class="faint"> tier {tier}</span>}
        </span>
      ))}
    </span>
  );
}

function curl(model: string): string {
  return [
    `curl ${new URL("..", document.baseURI).href}v1/chat/completions \\`,
    `  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\`,
    `  -d '{"model":${JSON.stringify(model)},"messages":[{"role":"user","content":"Say hello."}]}'`,
  ].join("\n");
}

export function Models() {
  const models = usePages<CatalogueModel>({ key: KEY, read: (cursor, signal) => listModels({ cursor, limit: 100 }, signal) });
  const admin = useMe().data?.organization_admin ?? false;
  const [adding, setAdding] = useUrlState("new", codecs.flag());
  const [find, setFind] = useUrlState("find", codecs.text());
  const [editing, setEditing] = useState<CatalogueModel | null>(null);
  const [removing, setRemoving] = useState<CatalogueModel | null>(null);
  const remove = useMutation({
    change: ({ name }: CatalogueModel) => removeModel(name),
    invalidates: [KEY],
    done: () => {
      setRemoving(null);
      toast({ kind: "ok", text: "The model is removed." });
    },
  });
  const add = admin && <Button icon="add" kind="primary" onClick={() => setAdding(true)}>New model</Button>;
  const wanted = find.trim().toLowerCase();
  return (
    <div class="tab-content">
      {models.items.length > 0 && (
        <div class="tab-actions">
          {models.items.length > 8 && <TextInput type="search" icon="search" label="Find a model" placeholder="Find a model" value={find} onInput={(text) => setFind(text, { replace: true })} />}
          {add}
        </div>
      )}
      <PagedTable
        state={models} rows={models.items.filter(({ name }) => name.toLowerCase().includes(wanted))} what="models" label="Models" rowKey={({ id }) => id}
        empty={wanted ? <p class="soft">No model matches.</p> : (
          <Empty title="No models yet" icon="layers" actions={add}
            snippets={[{ title: "Serve a file", text: "spindle model add small --file ./small.gguf" }, { title: "Ask a model", text: curl("small") }]}>
            <p>{admin ? "Serve a GGUF file of this machine, or forward requests to an upstream." : "An administrator of this server can add models."}</p>
          </Empty>
        )}
        columns={[
          { key: "name", title: "Name", cell: ({ name }) => <code class="nowrap"><SafeText text={name} line /></code> },
          { key: "served", title: "Served by", wide: true, cell: (row) => <Served model={row} /> },
          { key: "abilities", title: "Requests", cell: ({ abilities }) => <span class="chips">{abilities.map((ability) => <Badge key={ability}>{ability}</Badge>)}</span> },
          { key: "context", title: "Context", number: true, cell: ({ context }) => (context > 0 ? formatCount(context) : <span class="faint">–</span>) },
          { key: "fallbacks", title: "Fallback", cell: ({ fallbacks }) => (fallbacks.length > 0 ? <SafeText text={fallbacks.join(", ")} line /> : <span class="faint">none</span>) },
          ...(admin ? [{ key: "teams", title: "Teams", cell: ({ teams }: CatalogueModel) => (teams ? <SafeText text={teams.join(", ")} line /> : <span class="faint">all</span>) }] : []),
          {
            key: "actions", title: "Actions", hideTitle: true,
            cell: (row) => (
              <span class="row-actions">
                <Button small kind="quiet" icon="chart" label={`Usage of ${row.name}`} href={href(paths.usage(), { model: row.name })} />
                {admin && <Button small kind="quiet" icon="edit" label={`Change ${row.name}`} onClick={() => setEditing(row)} />}
                {admin && <Button small kind="quiet" icon="trash" label={`Remove ${row.name}`} onClick={() => setRemoving(row)} />}
              </span>
            ),
          },
        ]}
      />
      {adding && admin && <ModelDialog model={null} onClose={() => setAdding(false, { replace: true })} />}
      {editing && <ModelDialog model={editing} onClose={() => setEditing(null)} />}
      <ConfirmDialog
        open={removing !== null} title={`Remove the model ${removing?.name ?? ""}?`} action="Remove" busy={remove.pending} error={remove.error?.message ?? null}
        onClose={() => setRemoving(null)} onConfirm={() => { if (removing) void remove.run(removing).catch(() => undefined); }}
      >
        <p>Requests for it get 404 from then on. The file stays where it is. Its usage stays in the reports.</p>
      </ConfirmDialog>
    </div>
  );
}
