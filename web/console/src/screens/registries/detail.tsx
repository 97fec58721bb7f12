// One registry: collections, members, protected aliases.

import { useState } from "preact/hooks";

import { type Registry, deleteRegistry } from "../../api/artifacts";
import { type QueryState, useMutation } from "../../api/cache";
import { navigate, paths } from "../../app/location";
import { useMe } from "../../app/me";
import { Loaded, Page } from "../../app/page";
import { useHeading } from "../../app/screen";
import { toast } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Empty } from "../../ui/feedback";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { Tabs } from "../../ui/tabs";
import { CollectionTable } from "../shared_artifacts/collection_table";
import { registryPlace } from "../shared_artifacts/place";
import { useNow } from "../shared_parts/ago";
import { Members, ProtectedAliases } from "./members";
import { RegistryDialog } from "./registry_dialog";
import type { RegistryRights } from "./rights";

export function RegistryDetail({ name, state, rights }: { name: string; state: QueryState<Registry>; rights: RegistryRights }) {
  const { data } = state;
  const { data: me } = useMe();
  const now = useNow();
  const [tab, setTab] = useUrlState("tab", codecs.oneOf("collections", "access"));
  const [layer, setLayer] = useState<"edit" | "delete" | null>(null);
  useHeading(name);
  const remove = useMutation({
    change: () => deleteRegistry(name),
    invalidates: [["registries"]],
    done: () => {
      toast({ kind: "ok", text: `The registry ${name} is deleted.` });
      navigate(paths.registries(), { replace: true });
    },
  });
  const mayDelete = me?.organization_admin || (rights.administer && data?.created_by === me?.username);
  return (
    <Page
      title={<SafeText text={name} line />}
      lead={data && (
        <span class="job-lead">
          <Badge>{data.visibility === "organization" ? "organization" : "members only"}</Badge>
          <span>accepts {data.allow_all_artifact_types ? "all types" : data.artifact_types.join(", ")}</span>
          {data.description && <SafeText text={data.description} line />}
        </span>
      )}
      actions={data && rights.write && (
        <>
          <Button icon="edit" onClick={() => setLayer("edit")}>Change</Button>
          {mayDelete && <Menu label="Further actions" icon="dots" align="end" items={[{ text: "Delete the registry…", icon: "trash", danger: true, onSelect: () => setLayer("delete") }]} />}
        </>
      )}
    >
      <Loaded state={state} what="registry">
        {() => (
          <Tabs
            label="Parts of the registry" open={tab} onOpen={(next) => setTab(next, { replace: true })}
            tabs={[{ name: "collections", text: "Collections" }, { name: "access", text: "Members & aliases" }]}
          >
            <div class="tab-content">
              {tab === "collections" ? (
                <CollectionTable
                  place={registryPlace(name, rights)} now={now}
                  empty={(
                    <Empty title="Nothing is linked here yet" icon="link" snippets={[{ title: "Link a version", text: `spindle artifact link team/project/name:v0 svc-registry-${name}/COLLECTION --alias staging` }]}>
                      <p>Open a version of a project and link it into this registry.</p>
                    </Empty>
                  )}
                />
              ) : (
                <>
                  <Members registry={name} administer={rights.administer} />
                  <ProtectedAliases registry={name} administer={rights.administer} />
                </>
              )}
            </div>
          </Tabs>
        )}
      </Loaded>
      {data && layer === "edit" && (
        <RegistryDialog
          registry={data} administer={rights.administer} onClose={() => setLayer(null)}
          onSaved={(saved) => {
            setLayer(null);
            if (saved.name !== name) navigate(paths.registries(saved.name), { replace: true });
          }}
        />
      )}
      <ConfirmDialog
        open={layer === "delete"} title={`Delete the registry ${name}?`} action="Delete the registry" typedName={name} busy={remove.pending} error={remove.error?.message ?? null}
        onClose={() => setLayer(null)} onConfirm={() => void remove.run().catch(() => undefined)}
      >
        <p>Its collections and links are deleted. The versions stay in their projects. This cannot be undone.</p>
      </ConfirmDialog>
    </Page>
  );
}
