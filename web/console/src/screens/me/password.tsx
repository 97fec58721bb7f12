// Setting and changing the password.

import { useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { changePassword } from "../../api/sessions";
import { Section } from "../../app/page";
import { toast } from "../../app/toasts";
import { Button } from "../../ui/button";
import { Field } from "../../ui/field";
import { TextInput } from "../../ui/inputs";
import { session } from "../../app/session";

const SHORTEST = 12;

export function Password() {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [again, setAgain] = useState("");
  const [tried, setTried] = useState(false);
  const change = useMutation({
    change: () => changePassword({ ...(current === "" ? {} : { current_password: current }), new_password: next }),
    invalidates: [["sessions"]],
    done: () => {
      setCurrent("");
      setNext("");
      setAgain("");
      setTried(false);
      toast({ kind: "ok", text: "The password is changed. Your other sessions have ended." });
    },
  });
  const short = next.length < SHORTEST ? `At least ${SHORTEST} characters.` : null;
  const different = next === again ? null : "This is not the same.";
  const { error } = change;
  return (
    <Section title="Password" lead="For signing in to the console. Changing it ends your other sessions.">
      <form
        class="card card-pad password"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (!short && !different) void change.run().catch(() => undefined);
        }}
      >
        <input class="visually-hidden" type="text" name="username" autocomplete="username" readOnly tabIndex={-1} aria-hidden="true"
          value={session.value?.username ?? ""} />
        <Field label="Present password" hint="Empty if you have none yet." error={error?.field("current_password") ?? null}>
          <TextInput type="password" value={current} onInput={setCurrent} autocomplete="current-password" />
        </Field>
        <Field label="New password" hint={`${SHORTEST} characters or more.`} error={(tried && short) || error?.field("new_password")}>
          <TextInput type="password" value={next} onInput={setNext} autocomplete="new-password" />
        </Field>
        <Field label="New password again" error={tried ? different : null}>
          <TextInput type="password" value={again} onInput={setAgain} autocomplete="new-password" />
        </Field>
        {error?.besides("current_password", "new_password") && <p class="ui-field-error" role="alert">{error.message}</p>}
        <div><Button type="submit" busy={change.pending}>Change the password</Button></div>
      </form>
    </Section>
  );
}
