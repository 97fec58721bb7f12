// Signing in and out, sessions and invitations in a real browser.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { oidcSettings, startIdentityProvider } from "../http/support/identity_provider.mjs";
import { makeMember, makeTeam, makeUser } from "../http/support/people.mjs";
import { openPage, startConsole } from "./support/console_page.mjs";

const PASSWORD = "a password that is long enough";
const NEXT = "p/acme/support/traces?q=status%3Aerror";
const PEOPLE = { grace: { email: "grace@example.test", email_verified: true, name: "Grace Hopper", preferred_username: "grace" } };

let provider;
let started;
let server;
let team;
let opened;
let page;

before(async () => {
  provider = await startIdentityProvider(PEOPLE);
  started = await startConsole({ env: oidcSettings(provider.issuer) });
  ({ server } = started);
  provider.use(server.url);
  ({ name: team } = await makeTeam(server));
});
after(async () => {
  await started?.close();
  await provider?.close();
});

beforeEach(async () => {
  opened = await openPage(started, { key: null, origins: [provider.issuer] });
  ({ page } = opened);
});
afterEach(() => opened.close());

const button = (name) => page.getByRole("button", { name, exact: true });
const way = (name) => page.getByRole("radio", { name }).check({ force: true });
const password = () => page.getByRole("textbox", { name: "Password", exact: true });
const path = () => new URL(page.url()).pathname;

/** Waits until the frame shows who is signed in. */
const signedInAs = (name, where = page) => where.getByRole("button", { name: `Account of ${name}` }).waitFor();

async function loginLink(...args) {
  const ended = await server.cli("login-link", "--json", ...args);
  assert.equal(ended.code, 0, ended.stderr);
  return JSON.parse(ended.stdout).link;
}

async function personWithPassword() {
  const user = await makeUser(server);
  const answer = await server.api("PUT", `/api/v1/users/${user.username}/password`, { body: { new_password: PASSWORD } });
  assert.equal(answer.status, 204, answer.text);
  return user;
}

async function invitation(fields = {}) {
  const answer = await server.api("POST", `/api/v1/teams/${team}/invitations`, { body: { role: "MEMBER", ...fields } });
  assert.equal(answer.status, 201, answer.text);
  return answer.json.link;
}

describe("a one-time link", () => {
  test("signs in once, and its code does not stay in the address", async () => {
    const link = await loginLink();
    await page.goto(link);
    await signedInAs("Administrator");
    assert.equal(new URL(page.url()).hash, "");
    const other = await openPage(started, { key: null });
    await other.page.goto(link);
    await other.page.getByText("This link does not sign in").waitFor();
    await other.page.getByText(/spindle login-link/).first().waitFor();
    assert.equal(new URL(other.page.url()).hash, "");
    await other.close();
  });
});

describe("an API key", () => {
  test("signs in, leads to the page that was asked for, and is not stored", async () => {
    const user = await makeMember(server, team, "MEMBER");
    await opened.go(NEXT);
    await page.waitForURL(/\/console\/login\?next=/);
    await way("API key");
    await page.getByLabel("API key", { exact: true }).last().fill("spindle_wrong");
    await page.keyboard.press("Enter");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assert.match(await alert.textContent(), /key/i);
    assert.equal(await page.getByLabel("API key", { exact: true }).last().inputValue(), "spindle_wrong");
    await page.getByLabel("API key", { exact: true }).last().fill(user.key);
    await button("Sign in").click();
    await page.waitForURL(`${started.url}/console/${NEXT}`);
    await signedInAs(user.username);
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
    assert.ok(!stored.includes(user.key));
  });
});

describe("a password", () => {
  test("signs in; a wrong one is refused and the user name stays", async () => {
    const user = await personWithPassword();
    await opened.go("login");
    await way("Password");
    await page.getByLabel("User name").fill(user.username);
    await password().fill("something else entirely");
    await button("Sign in").click();
    await page.getByText("The user name or the password is wrong.").waitFor();
    assert.equal(await page.getByLabel("User name").inputValue(), user.username);
    await password().fill(PASSWORD);
    await page.keyboard.press("Enter");
    await signedInAs(user.username);
    // The next time the form opens as it was used.
    await button(`Account of ${user.username}`).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("User name").waitFor();
  });
});

describe("the provider of the organization", () => {
  /** Answers the two pages of oidc-provider. */
  async function passProvider(where, login) {
    await where.locator('input[name="login"]').fill(login);
    await where.locator('input[name="password"]').fill("any");
    await where.locator('button[type="submit"]').click();
    await where.getByText("Authorize").first().waitFor();
    await where.locator('button[type="submit"]').click();
  }

  test("signs in and leads to the page that was asked for", async () => {
    await opened.go("me?from=link");
    await page.getByRole("link", { name: "Continue with Example ID" }).click();
    await passProvider(page, "grace");
    await page.waitForURL(`${started.url}/console/me?from=link`);
    await signedInAs("Grace Hopper");
    await page.getByText("grace@example.test").waitFor();
  });

  test("is refused in words", async () => {
    await opened.go("login?error=oidc_no_user");
    await page.getByText("You have no account here. Ask an administrator to invite you.").waitFor();
  });

  test("renews an ended session in another tab, and the page goes on with what was typed", async () => {
    await opened.go("me");
    await page.getByRole("link", { name: "Continue with Example ID" }).click();
    await passProvider(page, "grace");
    await button("New key").click();
    await page.getByRole("dialog").getByLabel(/^Name/).fill("nightly");
    const { json } = await server.api("GET", "/api/v1/sessions?username=grace");
    for (const { id } of json.items) await server.api("DELETE", `/api/v1/sessions/${id}`);
    await button("Create the key").click();
    const [tab] = await Promise.all([
      opened.context.waitForEvent("page"),
      page.getByRole("dialog", { name: "Your session has ended" }).getByRole("link", { name: "Continue with Example ID" }).click(),
    ]);
    await tab.getByText("You are signed in").waitFor();
    await page.getByRole("heading", { name: "Your new API key" }).waitFor();
    await button("I have stored it").click();
    await page.getByRole("table", { name: "API keys" }).getByText("nightly").waitFor();
  });
});

describe("sessions", () => {
  test("are listed, and one of them is ended from another", async () => {
    const user = await makeUser(server);
    const other = await openPage(started, { key: user.key });
    const mine = await openPage(started, { key: user.key });
    await other.go("me");
    await other.page.getByRole("heading", { name: "Sessions" }).waitFor();
    await mine.go("me");
    const rows = mine.page.getByRole("table", { name: "Sessions" }).getByRole("row").filter({ has: mine.page.getByRole("cell") });
    await rows.nth(1).waitFor();
    assert.equal(await rows.count(), 2);
    assert.equal(await rows.filter({ hasText: "this one" }).count(), 1);
    await mine.page.getByRole("button", { name: "End", exact: true }).click();
    await mine.page.getByText("The session has ended.").waitFor();
    await rows.nth(1).waitFor({ state: "detached" });
    await other.page.reload();
    await other.page.waitForURL(/\/console\/login\?next=/);
    await mine.page.reload();
    await mine.page.getByRole("table", { name: "Sessions" }).getByText("this one").waitFor();
    await mine.close();
    await other.close();
  });

  test("end at signing out, also when they have ended before", async () => {
    const user = await makeUser(server);
    for (const revoked of [false, true]) {
      const mine = await openPage(started, { key: user.key });
      await mine.go("me");
      await signedInAs(user.username, mine.page);
      await mine.page.getByRole("table", { name: "Sessions" }).waitFor();
      if (revoked) {
        const { json } = await server.api("GET", `/api/v1/sessions?username=${user.username}`);
        for (const { id } of json.items) await server.api("DELETE", `/api/v1/sessions/${id}`);
      }
      await mine.page.getByRole("button", { name: `Account of ${user.username}` }).click();
      await mine.page.getByRole("menuitem", { name: "Sign out" }).click();
      await mine.page.getByRole("heading", { name: "Sign in to Spindle" }).waitFor();
      await mine.page.goBack();
      await mine.page.getByRole("heading", { name: "Sign in to Spindle" }).waitFor();
      await mine.close();
    }
    const { json } = await server.api("GET", `/api/v1/sessions?username=${user.username}`);
    assert.equal(json.items.length, 0);
  });

  test("of other browsers end when the password is changed", async () => {
    const user = await personWithPassword();
    const other = await openPage(started, { key: user.key });
    await opened.go("login?next=/console/me");
    await way("Password");
    await page.getByLabel("User name").fill(user.username);
    await password().fill(PASSWORD);
    await button("Sign in").click();
    await page.getByLabel("Present password").fill("not the present one");
    await page.getByLabel("New password", { exact: true }).fill("another long password");
    await page.getByLabel("New password again").fill("another long password");
    await button("Change the password").click();
    await page.getByRole("alert").first().waitFor();
    assert.equal(await page.getByLabel("New password", { exact: true }).inputValue(), "another long password");
    await page.getByLabel("Present password").fill(PASSWORD);
    await button("Change the password").click();
    await page.getByText("The password is changed. Your other sessions have ended.").waitFor();
    await other.go("me");
    await other.page.waitForURL(/\/console\/login/);
    await other.close();
    // The token of the session is new: the next change needs no sign-in.
    await page.getByRole("radio", { name: "Dense" }).check({ force: true });
    await button("New key").click();
    await page.getByRole("dialog").getByLabel(/^Name/).fill("laptop");
    await button("Create the key").click();
    await page.getByRole("heading", { name: "Your new API key" }).waitFor();
  });
});

describe("an invitation", () => {
  test("makes an account and a membership for a new person", async () => {
    await page.goto(await invitation({ email: "new@example.test" }));
    await page.getByRole("heading", { name: `Join ${team}` }).waitFor();
    assert.equal(new URL(page.url()).hash, "");
    await button("Create the account and join").click();
    await page.getByText("Choose a user name.").waitFor();
    await page.getByLabel("User name").fill("admin");
    await page.getByLabel("Full name").fill("New Person");
    await password().fill(PASSWORD);
    await button("Create the account and join").click();
    await page.getByRole("alert").first().waitFor();
    assert.equal(await page.getByLabel("Full name").inputValue(), "New Person");
    await page.getByLabel("User name").fill("newperson");
    await button("Create the account and join").click();
    await signedInAs("New Person");
    assert.match(path(), /^\/console\/?$/);
    const { json } = await server.api("GET", `/api/v1/teams/${team}/members`);
    assert.equal(json.items.find(({ user }) => user.username === "newperson")?.role, "MEMBER");
  });

  test("adds a person who signs in first", async () => {
    const user = await makeUser(server);
    await page.goto(await invitation({ role: "VIEWER" }));
    await page.getByRole("link", { name: "I have an account" }).click();
    await way("API key");
    await page.getByLabel("API key", { exact: true }).last().fill(user.key);
    await button("Sign in").click();
    await button(`Join as ${user.username}`).click();
    await signedInAs(user.username);
    const { json } = await server.api("GET", `/api/v1/teams/${team}/members`);
    assert.equal(json.items.find((member) => member.user.username === user.username)?.role, "VIEWER");
  });

  test("is accepted with another account than the one that is signed in", async () => {
    const [first, second] = [await makeUser(server), await makeUser(server)];
    const theirs = await openPage(started, { key: first.key });
    await theirs.page.goto(await invitation());
    await theirs.page.getByRole("button", { name: `Join as ${first.username}` }).waitFor();
    await theirs.page.getByRole("button", { name: "Use another account" }).click();
    await theirs.page.getByRole("heading", { name: "Sign in to Spindle" }).waitFor();
    await theirs.page.getByLabel("API key", { exact: true }).last().fill(second.key);
    await theirs.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await theirs.page.getByRole("button", { name: `Join as ${second.username}` }).waitFor();
    await theirs.close();
  });

  test("that was used says so", async () => {
    const link = await invitation({ uses: 1 });
    const token = new URL(link).hash.replace("#token=", "");
    const user = await makeUser(server);
    const accepted = await server.api("POST", "/api/v1/invitations/accept", { body: { token }, key: user.key });
    assert.ok(accepted.status < 300, accepted.text);
    await page.goto(link);
    await page.getByText("This invitation is not valid").waitFor();
    await page.getByText(/Ask the person who sent it for a new one/).waitFor();
  });
});

describe("the first page", () => {
  test("shows a project that a program creates meanwhile", async () => {
    const { name } = await makeTeam(server);
    const theirs = await openPage(started, { key: (await makeMember(server, name, "MEMBER")).key });
    await theirs.go("");
    await theirs.page.getByRole("heading", { name: "Send your first trace" }).waitFor();
    await theirs.page.getByText(`Waiting for the first trace of ${name}/first-steps`).waitFor();
    const made = await server.api("POST", "/api/v1/projects", { body: { team: name, name: "hello" } });
    assert.equal(made.status, 201, made.text);
    await theirs.page.getByText("There is a project now:").waitFor();
    await theirs.page.getByRole("link", { name: "Open its traces" }).click();
    await theirs.page.waitForURL(`**/p/${name}/hello/traces`);
    await theirs.close();
  });
});
