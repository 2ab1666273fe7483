// Passkeys in a real browser, with the authenticator that it brings along for tests: its own code makes the ceremonies,
// and it alone decides which origin it tells and which cookies it keeps.
import { expect, test } from "vitest";
import { browser, virtualAuthenticator } from "../../../test/browser.ts";
import { service } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const chromium = browser();

interface Told {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service has answered.
  body: any;
}
/** What a page of the service would do, with nothing but what browsers have. */
const PAGE = `
  window.tell = async (method, path, body) => {
    const csrf = /__Host-svc_csrf=([^;]+)/.exec(document.cookie)?.[1];
    const headers = { "content-type": "application/json", ...(csrf ? { "x-csrf-token": csrf } : {}) };
    const response = await fetch("/api/v1" + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : null };
  };
  window.addPasskey = async (name) => {
    const { body } = await tell("POST", "/auth/passkeys/register/options");
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(body.options);
    const made = await navigator.credentials.create({ publicKey });
    return tell("POST", "/auth/passkeys/register/verify", { ceremony_token: body.ceremony_token, name, response: made.toJSON() });
  };
  window.usePasskey = async () => {
    const { body } = await tell("POST", "/auth/passkeys/login/options");
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(body.options);
    const used = await navigator.credentials.get({ publicKey });
    return tell("POST", "/auth/passkeys/login/verify", { ceremony_token: body.ceremony_token, response: used.toJSON() });
  };`;

async function visitor() {
  const page = await chromium.page();
  const authenticator = await virtualAuthenticator(page);
  await page.addInitScript(PAGE);
  // The application's own scripts are left out: its sign-in page uses a passkey by itself as soon as there is one.
  await page.route("**/assets/**", (route) => route.abort());
  await page.goto(`${running.url}/login`);
  return { page, authenticator, run: (code: string) => page.evaluate<Told>(code) };
}
const register = (email = `${newId()}@example.com`) =>
  `tell("POST", "/auth/register", ` +
  `${JSON.stringify({ email, password: "quartz-lantern-48-vellum", display_name: "Ada" })})`;

test("somebody registers a passkey, signs out, and signs in with it", async () => {
  const { page, authenticator, run } = await visitor();
  const account = await run(register());
  expect(account.status).toBe(201);
  const added = await run('addPasskey("This browser")');
  expect(added).toMatchObject({ status: 201, body: { name: "This browser", disabled: false } });
  expect(await authenticator.credentials()).toMatchObject([{ rpId: "localhost" }]);
  expect((await run('tell("POST", "/auth/logout")')).status).toBe(204);
  expect((await run('tell("GET", "/me")')).status).toBe(401);
  const names = async () => (await page.context().cookies()).map(({ name }) => name).sort();
  // What is left only says that this browser has signed in before.
  expect(await names()).toEqual(["__Host-svc_device"]);

  for (const time of [1, 2]) {
    const entered = await run("usePasskey()");
    expect(entered, `sign-in ${time}`).toMatchObject({ status: 200, body: { id: account.body.id } });
    expect((await run('tell("GET", "/me")')).body.id).toBe(account.body.id);
  }
  expect(await names()).toEqual(["__Host-svc_csrf", "__Host-svc_device", "__Host-svc_session"]);
  const [listed] = (await run('tell("GET", "/auth/passkeys")')).body.items;
  expect(listed.last_used_at).not.toBeNull();
});

test("a browser makes no second passkey on an authenticator that has one", async () => {
  const { run } = await visitor();
  await run(register());
  await run('addPasskey("First")');
  await expect(run('addPasskey("Second")')).rejects.toThrow("InvalidStateError");
});

test("a browser whose user is not verified gives nothing away", async () => {
  const { authenticator, run } = await visitor();
  await run(register());
  await run('addPasskey("First")');
  await authenticator.verifiesUser(false);
  await expect(run("usePasskey()")).rejects.toThrow("NotAllowedError");
});
