// Links a version into a collection of a registry.

import { useState } from "preact/hooks";

import { createCollection, linkVersion, listCollections, listRegistries } from "../../api/artifacts";
import { useMutation, useQuery } from "../../api/cache";
import { ApiError } from "../../api/errors";
import { allPages } from "../../api/paging";
import { navigate, paths } from "../../app/location";
import { toast } from "../../app/toasts";
import { Combobox } from "../../ui/combobox";
import { Field } from "../../ui/field";
import { Select, TextInput } from "../../ui/inputs";
import { FormDialog } from "../shared_parts/form_dialog";

export interface LinkDialogProps {
  /** `team/project/name:v3` */
  source: string;
  type: string;
  suggested: string;
  onClose: () => void;
}

export function LinkDialog({ source, type, suggested, onClose }: LinkDialogProps) {
  const registries = useQuery({ key: ["registries", "all"], read: (signal) => allPages((cursor) => listRegistries({ cursor, limit: 200 }, signal)) });
  const fitting = (registries.data ?? []).filter(({ allow_all_artifact_types, artifact_types }) => allow_all_artifact_types || artifact_types.includes(type));
  const [chosen, setChosen] = useState("");
  const [collection, setCollection] = useState(suggested);
  const [aliases, setAliases] = useState("");
  const registry = chosen || fitting[0]?.name || "";
  const collections = useQuery({
    key: ["collections", `registry ${registry}`, "all"],
    read: (signal) => allPages((cursor) => listCollections({ registry }, { cursor, limit: 200 }, signal)),
    enabled: registry !== "",
  });
  const name = collection.trim();
  const link = useMutation({
    change: async () => {
      const home = { registry };
      if (!collections.data?.some((row) => row.name === name)) {
        await createCollection(home, { name, type }).catch((error: unknown) => {
          if (!(error instanceof ApiError) || error.status !== 409) throw error;
        });
      }
      return linkVersion(home, name, { source, aliases: aliases.split(",").map((alias) => alias.trim()).filter(Boolean) });
    },
    invalidates: [["collections", `registry ${registry}`], ["versions", `registry ${registry}`]],
    done: ({ version_index }) => {
      toast({ kind: "ok", text: `Linked as v${version_index} of ${name}.`, action: { label: "Open", run: () => navigate(paths.registries(registry, name, `v${version_index}`)) } });
      onClose();
    },
  });
  return (
    <FormDialog title="Link into a registry" action="Link" onClose={onClose} state={link} valid={registry !== "" && name !== ""} shown={["aliases"]} onSubmit={() => void link.run().catch(() => undefined)}>
      <Field label="Registry" required error={registries.error?.message ?? null} hint={registries.data && fitting.length === 0 ? `No registry accepts the type ${type}.` : undefined}>
        <Select value={registry} onChange={setChosen} options={fitting.map((row) => ({ value: row.name, text: row.name }))} />
      </Field>
      <Field label="Collection" required hint="A new one is made if it does not exist.">
        <Combobox value={collection} free loading={collections.loading} onChange={setCollection} options={(collections.data ?? []).filter((row) => row.type === type).map((row) => ({ value: row.name }))} />
      </Field>
      <Field label="Aliases" hint="Separated by commas." error={link.error?.field("aliases") ?? null}><TextInput value={aliases} placeholder="staging" onInput={setAliases} /></Field>
    </FormDialog>
  );
}
