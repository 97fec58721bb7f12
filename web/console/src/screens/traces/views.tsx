// Saved views: a name for a filter, range, order and columns. Private ones are preferences, shared ones objects of the project.

import { useState } from "preact/hooks";

import { invalidate, useMutation, useQuery } from "../../api/cache";
import { createObject, deleteObject, listObjects } from "../../api/objects";
import { useRights } from "../../app/me";
import { preferences, setPreferences } from "../../app/preferences";
import { useProject } from "../../app/screen";
import { toast, toastError } from "../../app/toasts";
import { codecs, setUrlState, useUrlState } from "../../app/url_state";
import { Button } from "../../ui/button";
import { ConfirmDialog, Dialog } from "../../ui/dialog";
import { Field } from "../../ui/field";
import { Checkbox, TextInput } from "../../ui/inputs";
import { Menu, type MenuItem } from "../../ui/menu";
import { viewSearch } from "./explorer_codecs";
import { openView } from "./explorer_state";
import { type SavedView, objectName, privateViews, sharedView } from "./view_data";

const VIEW_CLASS = "SavedView";
const MOST_VIEWS = 200;

/** `enabled`: whether the views of the project may be read; those of the person are known. */
export function useViews(project: string, enabled: boolean): SavedView[] {
  const shared = useQuery({
    enabled,
    key: ["views", project],
    staleTime: 60_000,
    read: async (signal) => {
      const { objs } = await listObjects(
        { project_id: project, filter: { base_object_classes: [VIEW_CLASS], latest_only: true }, limit: MOST_VIEWS }, signal,
      );
      return objs.flatMap((object) => sharedView(object) ?? []);
    },
  });
  return [...privateViews(preferences.value, project), ...(shared.data ?? [])];
}

function storePrivate(project: string, views: SavedView[]): Promise<void> {
  const known = preferences.peek().traceViews;
  const others = typeof known === "object" && known !== null && !Array.isArray(known) ? known : {};
  return setPreferences({
    traceViews: { ...others, [project]: views.map(({ id, label, search }) => ({ id, label, search })) },
  });
}

export function ViewsMenu({ enabled }: { enabled: boolean }) {
  const { id: project, team } = useProject();
  const rights = useRights(team);
  const views = useViews(project, enabled);
  const [open] = useUrlState("view", codecs.text());
  const [saving, setSaving] = useState(false);
  const [deleting, setDeleting] = useState<SavedView | null>(null);
  const current = views.find(({ id }) => id === open) ?? null;
  const changed = current !== null && viewSearch(location.search) !== viewSearch(current.search);
  const remove = useMutation<SavedView>({
    change: async (view) => {
      if (view.shared) await deleteObject({ project_id: project, object_id: view.id, digests: null });
      else await storePrivate(project, privateViews(preferences.peek(), project).filter(({ id }) => id !== view.id));
      await invalidate(["views", project]);
    },
    done: () => {
      setDeleting(null);
      setUrlState({ view: null }, { replace: true });
    },
  });
  const entry = (view: SavedView): MenuItem => ({ text: view.label, checked: view.id === open, onSelect: () => openView(view.search, view.id) });
  const mine = views.filter(({ shared }) => !shared);
  const ours = views.filter(({ shared }) => shared);
  const items: MenuItem[] = [
    { text: "All traces", checked: current === null, onSelect: () => openView("", "") },
    ...(mine.length > 0 ? [{ kind: "title" as const, text: "Yours" }, ...mine.map(entry)] : []),
    ...(ours.length > 0 ? [{ kind: "title" as const, text: "Of the project" }, ...ours.map(entry)] : []),
    { kind: "line" },
    { text: "Save as a view…", icon: "save", onSelect: () => setSaving(true) },
    ...(current && changed ? [{ text: `Undo changes of ${current.label}`, icon: "refresh" as const, onSelect: () => openView(current.search, current.id) }] : []),
    ...(current && (!current.shared || rights.write)
      ? [{ text: `Delete ${current.label}…`, icon: "trash" as const, danger: true, onSelect: () => setDeleting(current) }] : []),
  ];
  return (
    <>
      <Menu label={current ? `View: ${current.label}${changed ? ", changed" : ""}` : "Views"} icon="star" items={items}>
        <span class="traces-view truncate">{current ? current.label : "Views"}{changed && <span class="traces-changed" title="Changed"> ●</span>}</span>
      </Menu>
      {saving && <SaveDialog project={project} current={current} share={rights.write} onClose={() => setSaving(false)} />}
      <ConfirmDialog
        open={deleting !== null} onClose={() => setDeleting(null)} title={`Delete the view ${deleting?.label ?? ""}?`} action="Delete"
        busy={remove.pending} error={remove.error?.message ?? null}
        onConfirm={() => deleting && void remove.run(deleting).catch(() => undefined)}
      >
        {deleting?.shared ? "Everyone in the project loses it. No traces are deleted." : "No traces are deleted."}
      </ConfirmDialog>
    </>
  );
}

function SaveDialog({ project, current, share, onClose }: { project: string; current: SavedView | null; share: boolean; onClose: () => void }) {
  const [label, setLabel] = useState(current?.label ?? "");
  const [shared, setShared] = useState(current?.shared ?? false);
  const name = label.trim();
  const save = useMutation({
    change: async () => {
      const search = viewSearch(location.search);
      if (!shared) {
        const others = privateViews(preferences.peek(), project).filter((view) => view.label !== name);
        const id = `my-${objectName(name)}`;
        await storePrivate(project, [...others.filter((view) => view.id !== id), { id, label: name, search, shared: false }]);
        return id;
      }
      const id = objectName(name);
      await createObject({ obj: {
        project_id: project, object_id: id, builtin_object_class: VIEW_CLASS,
        val: { view_type: "traces", label: name, definition: { search } },
      } });
      await invalidate(["views", project]);
      return id;
    },
    done: (id) => {
      setUrlState({ view: id }, { replace: true });
      toast({ kind: "ok", text: `The view ${name} is saved.` });
      onClose();
    },
  });
  return (
    <Dialog
      open onClose={onClose} title="Save as a view" size="small" keepOpen={name !== "" && name !== current?.label}
      onSubmit={() => {
        if (name !== "") void save.run().catch((error: unknown) => toastError("The view was not saved", error));
      }}
      actions={<><Button onClick={onClose}>Cancel</Button><Button type="submit" kind="primary" disabled={name === ""} busy={save.pending}>Save the view</Button></>}
    >
      <Field label="Name" hint="An existing name is replaced." required>
        <TextInput value={label} onInput={setLabel} placeholder="slow errors" maxLength={80} />
      </Field>
      {share && <Checkbox checked={shared} onChange={setShared} hint="Everyone who can read the project sees it.">Share with the project</Checkbox>}
    </Dialog>
  );
}
