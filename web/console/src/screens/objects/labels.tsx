// Aliases and tags of a version: shown, added, removed.

import { useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { type ObjectVersion, addTags, removeAliases, removeTags, setAliases } from "../../api/objects";
import { toastError } from "../../app/toasts";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field } from "../../ui/field";
import { TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { aliasProblem, isTag } from "./classes";

type Kind = "alias" | "tag";

function LabelDialog({ kind, version, owner, onClose }: { kind: Kind; version: ObjectVersion; owner: (alias: string) => ObjectVersion | undefined; onClose: () => void }) {
  const [text, setText] = useState("");
  const project = version.project_id;
  const name = text.trim();
  const problem = kind === "alias" ? aliasProblem(name) : isTag(name) ? null : "Words of letters, digits, _ and - with single spaces.";
  const other = kind === "alias" ? owner(name) : undefined;
  const add = useMutation({
    change: () => kind === "alias"
      ? setAliases(version.object_id, { project_id: project, digest: version.digest, aliases: [name] })
      : addTags(version.object_id, version.digest, { project_id: project, tags: [name] }),
    invalidates: [["objects", project]],
    done: onClose,
  });
  return (
    <Dialog
      open onClose={onClose} size="small" title={kind === "alias" ? `Point an alias at v${version.version_index}` : `Tag v${version.version_index}`}
      onSubmit={() => {
        if (problem === null) void add.run().catch(() => undefined);
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={problem !== null} busy={add.pending}>{kind === "alias" ? "Set the alias" : "Add the tag"}</Button>
        </>
      }
    >
      <Field
        label={kind === "alias" ? "Alias" : "Tag"} error={add.error?.message ?? (name !== "" ? problem : null)}
        hint={other && other.digest !== version.digest ? `It moves here from v${other.version_index}.` : kind === "alias" ? "An alias names one version at a time. Applications read it by this name." : "A note on this version."}
      >
        <TextInput value={text} onInput={setText} placeholder={kind === "alias" ? "production" : "reviewed"} />
      </Field>
    </Dialog>
  );
}

export function Labels({ version, versions, write }: { version: ObjectVersion; versions: readonly ObjectVersion[]; write: boolean }) {
  const [adding, setAdding] = useState<Kind | null>(null);
  const project = version.project_id;
  const remove = useMutation({
    change: ({ kind, name }: { kind: Kind; name: string }) => kind === "alias"
      ? removeAliases(version.object_id, { project_id: project, aliases: [name] })
      : removeTags(version.object_id, version.digest, { project_id: project, tags: [name] }),
    invalidates: [["objects", project]],
  });
  const drop = (kind: Kind, name: string) => void remove.run({ kind, name }).catch((error) => toastError(`The ${kind} was not removed`, error));
  const label = (kind: Kind, name: string) => (
    <span key={`${kind} ${name}`} class="label">
      <Badge tone={kind === "tag" || name === "latest" ? "neutral" : "accent"}><SafeText text={name} line /></Badge>
      {write && name !== "latest" && <Button small kind="quiet" icon="close" label={`Remove the ${kind} ${name}`} onClick={() => drop(kind, name)} />}
    </span>
  );
  return (
    <div class="labels">
      {(version.aliases ?? []).map((alias) => label("alias", alias))}
      {(version.tags ?? []).map((tag) => label("tag", tag))}
      {write && <Button small kind="quiet" icon="link" onClick={() => setAdding("alias")}>Alias</Button>}
      {write && <Button small kind="quiet" icon="tag" onClick={() => setAdding("tag")}>Tag</Button>}
      {adding && <LabelDialog kind={adding} version={version} owner={(alias) => versions.find(({ aliases }) => aliases?.includes(alias))} onClose={() => setAdding(null)} />}
    </div>
  );
}
