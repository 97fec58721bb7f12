// One collection: its versions, description and tags.

import { useState } from "preact/hooks";

import {
  type ArtifactCollection, changeCollection, deleteCollection, getCollection, listVersions, tagCollection, untagCollection,
} from "../../api/artifacts";
import { useMutation, usePages, useQuery } from "../../api/cache";
import { navigate } from "../../app/location";
import { Loaded, Page } from "../../app/page";
import { useHeading } from "../../app/screen";
import { toast } from "../../app/toasts";
import { formatBytes } from "../../format/bytes";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Empty } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { TextArea, TextInput } from "../../ui/inputs";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Badge, Status } from "../../ui/status";
import { Ago, useNow } from "../shared_parts/ago";
import { FormDialog } from "../shared_parts/form_dialog";
import { PagedTable } from "../shared_parts/paged_table";
import { NameChips } from "./name_chips";
import { type Place, inRegistry, placeHref, versionName } from "./place";

function EditDialog({ place, collection, onClose }: { place: Place; collection: ArtifactCollection; onClose: () => void }) {
  const [name, setName] = useState(collection.name);
  const [description, setDescription] = useState(collection.description);
  const save = useMutation({
    change: () => changeCollection(place.home, collection.name, { description, ...(name.trim() !== collection.name ? { name: name.trim() } : {}) }),
    invalidates: [["collections", place.key], ["collection", place.key]],
    done: (saved) => {
      toast({ kind: "ok", text: "The collection is changed." });
      onClose();
      if (saved.name !== collection.name) navigate(place.path(saved.name), { replace: true });
    },
  });
  return (
    <FormDialog title={`Change ${collection.name}`} action="Save" onClose={onClose} state={save} valid={name.trim() !== ""} shown={["name", "description"]} onSubmit={() => void save.run().catch(() => undefined)}>
      <Field label="Name" required hint="Paths change with it." error={save.error?.field("name") ?? null}><TextInput value={name} maxLength={128} onInput={setName} /></Field>
      <Field label="Description" error={save.error?.field("description") ?? null}><TextArea value={description} rows={4} onInput={setDescription} /></Field>
    </FormDialog>
  );
}

export function CollectionView({ place, name }: { place: Place; name: string }) {
  const now = useNow();
  const collection = useQuery({ key: ["collection", place.key, name], read: (signal) => getCollection(place.home, name, signal) });
  const versions = usePages({ key: ["versions", place.key, name, "pages"], read: (cursor, signal) => listVersions(place.home, name, { cursor, limit: 50 }, signal) });
  const { data } = collection;
  const [layer, setLayer] = useState<"edit" | "delete" | null>(null);
  useHeading(name, [...place.crumbs, { label: name }]);
  const remove = useMutation({
    change: () => deleteCollection(place.home, name),
    invalidates: [["collections", place.key]],
    done: () => {
      toast({ kind: "ok", text: `The collection ${name} is deleted.` });
      navigate(place.path(), { replace: true });
    },
  });
  const links = inRegistry(place);
  return (
    <Page
      title={<SafeText text={name} line />}
      lead={data && <><Badge><SafeText text={data.type} line /></Badge>{data.description && <> <SafeText text={data.description} /></>}</>}
      actions={data && place.write && (
        <>
          <Button icon="edit" onClick={() => setLayer("edit")}>Change</Button>
          <Menu label="Further actions" icon="dots" align="end" items={[{ text: "Delete the collection…", icon: "trash", danger: true, onSelect: () => setLayer("delete") }]} />
        </>
      )}
    >
      <Loaded state={collection} what="collection">
        {(shown) => (
          <>
            <div class="name-line">
              <span class="soft">Tags</span>
              <NameChips
                noun="tag" names={shown.tags} tone="accent" write={place.write} invalidates={[["collection", place.key, name], ["collections", place.key]]}
                add={(tag) => tagCollection(place.home, name, tag)} remove={(tag) => untagCollection(place.home, name, tag)}
              />
            </div>
            <PagedTable
              state={versions} what="versions" label="Versions" rowKey={({ id }) => id} rowHref={(row) => placeHref(place, name, versionName(row))}
              empty={links ? (
                <Empty title="Nothing is linked here yet" icon="link" snippets={[{ title: "Link a version", text: `spindle artifact link team/project/name:v0 ${place.name(name, "latest").replace(/:latest$/, "")}` }]}><p>Link versions of projects into this collection.</p></Empty>
              ) : (
                <Empty title="No versions yet" icon="upload" snippets={[{ title: "Upload a version", text: `spindle artifact put ${place.name(name, "latest").replace(/:latest$/, "")} FILES --type ${shown.type}` }]}><p>Each upload with new content becomes a version.</p></Empty>
              )}
              columns={[
                { key: "version", title: "Version", cell: (row) => <span class="nowrap">{versionName(row)}{row.state !== "COMMITTED" && <> <Status state={row.state} word={row.state.toLowerCase().replaceAll("_", " ")} /></>}</span> },
                { key: "aliases", title: "Aliases", cell: ({ aliases }) => <span class="chips">{aliases.map((alias) => <Badge key={alias} tone={alias === "production" ? "ok" : "accent"}><SafeText text={alias} line /></Badge>)}</span> },
                { key: "tags", title: "Tags", cell: ({ tags }) => <span class="chips chips-line">{tags.slice(0, 3).map((tag) => <Badge key={tag}><SafeText text={tag} line /></Badge>)}</span> },
                { key: "description", title: "Description", wide: true, cell: ({ description }) => <span class="soft"><SafeText text={description ?? ""} line /></span> },
                ...(links ? [{ key: "source", title: "From", cell: ({ source }: { source: string | null }) => <span class="cut"><SafeText text={source ?? ""} line /></span> }] : []),
                { key: "files", title: "Files", number: true, cell: ({ file_count }) => file_count },
                { key: "size", title: "Size", number: true, cell: ({ size }) => formatBytes(size) },
                { key: "by", title: "By", cell: ({ created_by }) => <span class="cut"><SafeText text={created_by} line /></span> },
                { key: "created", title: "Created", cell: ({ created_at }) => <Ago time={created_at} now={now} /> },
              ]}
            />
          </>
        )}
      </Loaded>
      {data && layer === "edit" && <EditDialog place={place} collection={data} onClose={() => setLayer(null)} />}
      <ConfirmDialog
        open={layer === "delete"} title={`Delete the collection ${name}?`} action="Delete the collection" typedName={name} busy={remove.pending} error={remove.error?.message ?? null}
        onClose={() => setLayer(null)} onConfirm={() => void remove.run().catch(() => undefined)}
      >
        <p>{links ? "All its links are removed. The versions stay in their projects." : `All its versions are deleted${versions.hasMore ? "" : ` (${versions.items.length})`}, with their links in registries.`} This cannot be undone.</p>
      </ConfirmDialog>
    </Page>
  );
}
