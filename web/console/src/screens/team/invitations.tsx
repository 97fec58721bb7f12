// Invitations to a team by link.

import { useState } from "preact/hooks";

import { useMutation, usePages } from "../../api/cache";
import type { Role } from "../../api/identity";
import { type Invitation, type IssuedInvitation, createInvitation, deleteInvitation, listInvitations } from "../../api/people";
import { Section } from "../../app/page";
import { toast, toastError } from "../../app/toasts";
import { Button } from "../../ui/button";
import { Field } from "../../ui/field";
import { NumberInput, Select, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Ago, useNow } from "../shared_parts/ago";
import { FormDialog } from "../shared_parts/form_dialog";
import { PagedTable } from "../shared_parts/paged_table";
import { OnceDialog } from "../shared_people/once";
import { ROLE_HINTS, ROLE_OPTIONS, ROLE_TEXTS } from "../shared_people/roles";

export function InviteDialog({ team, onClose }: { team: string; onClose: () => void }) {
  const [role, setRole] = useState<Role>("MEMBER");
  const [email, setEmail] = useState("");
  const [days, setDays] = useState<number | null>(7);
  const [uses, setUses] = useState<number | null>(1);
  const [issued, setIssued] = useState<IssuedInvitation | null>(null);
  const invite = useMutation({
    change: () => createInvitation(team, { role, expires_in_days: days ?? 7, uses: uses ?? 1, ...(email.trim() === "" ? {} : { email: email.trim() }) }),
    invalidates: [["invitations", team]],
    done: setIssued,
  });
  if (issued) {
    return <OnceDialog title="The invitation" text="Send this link to the person. It is shown only now; whoever has it can join." value={issued.link} onClose={onClose} />;
  }
  const error = (name: string) => invite.error?.field(name) ?? null;
  return (
    <FormDialog title={`Invite to ${team}`} action="Make the link" onClose={onClose} onSubmit={() => void invite.run().catch(() => undefined)}
      valid={(days ?? 7) >= 1 && (uses ?? 1) >= 1} typed={email !== ""} state={invite} shown={["role", "email", "expires_in_days", "uses"]}>
      <Field label="Role" hint={ROLE_HINTS[role]} error={error("role")}><Select value={role} options={ROLE_OPTIONS} onChange={setRole} /></Field>
      <Field label="For" hint="A note for you. No message is sent." error={error("email")}>
        <TextInput type="email" value={email} onInput={setEmail} placeholder="grace@example.com" />
      </Field>
      <div class="pair">
        <Field label="Valid for" error={error("expires_in_days")}><NumberInput value={days} min={1} max={90} step={1} unit="days" onInput={setDays} /></Field>
        <Field label="For how many people" error={error("uses")}><NumberInput value={uses} min={1} step={1} onInput={setUses} /></Field>
      </div>
    </FormDialog>
  );
}

export function Invitations({ team }: { team: string }) {
  const invitations = usePages<Invitation>({ key: ["invitations", team], read: (cursor, signal) => listInvitations(team, { cursor, limit: 100 }, signal) });
  const now = useNow();
  const revoke = useMutation({
    change: ({ id }: Invitation) => deleteInvitation(team, id),
    invalidates: [["invitations", team]],
    done: () => toast({ kind: "ok", text: "The link no longer works." }),
  });
  if (invitations.items.length === 0 && !invitations.error) return null;
  return (
    <Section title="Open invitations" lead="Links that still work.">
      <PagedTable
        state={invitations} what="invitations" label="Open invitations" rowKey={({ id }) => id} empty={null}
        columns={[
          { key: "for", title: "For", wide: true, cell: ({ email }) => (email ? <SafeText text={email} line /> : <span class="faint">whoever has the link</span>) },
          { key: "role", title: "Role", cell: ({ role }) => ROLE_TEXTS[role] },
          { key: "used", title: "Used", number: true, cell: ({ used, uses }) => `${used} of ${uses}` },
          { key: "by", title: "By", cell: ({ created_by }) => <SafeText text={created_by ?? "–"} line /> },
          { key: "expires", title: "Ends", cell: ({ expires_at }) => <Ago time={expires_at} now={now} /> },
          {
            key: "actions", title: "Actions", hideTitle: true,
            cell: (row) => (
              <span class="row-actions">
                <Button small kind="quiet" icon="trash" label={`Revoke the invitation for ${row.email ?? "whoever has the link"}`} disabled={revoke.pending}
                  onClick={() => void revoke.run(row).catch((error: unknown) => toastError("The invitation was not revoked", error))} />
              </span>
            ),
          },
        ]}
      />
    </Section>
  );
}
