// Every page as people with other eyes, hands and screens meet it; the consent page is looked at in consent.test.ts.
import { expect, test } from "vitest";
import { browser } from "../../server/test/browser.ts";
import { service } from "../../server/test/world.ts";
import { faultsOf, look } from "./look.ts";
import { newAddress, register, signIn, type Visit, visit } from "./visit.ts";

const provider = { issuer: "http://localhost:1", clientId: "svc", clientSecret: "secret" };
const running = service({ providers: { google: provider, microsoft: provider, apple: provider } });
const chromium = browser();

const out: Record<string, (visit: Visit) => Promise<void>> = {
  welcome: (visit) => visit.open("/"),
  login: (visit) => visit.open("/login"),
  "login-failed": async (visit) => {
    await visit.open("/login?error=authentication_failed");
    await signIn(visit, newAddress());
    await visit.page.getByText("That did not match").waitFor();
  },
  register: (visit) => visit.open("/register"),
  "register-faults": async (visit) => {
    await visit.open("/register");
    await visit.fill("Your name", "Ada");
    await visit.fill("Email", newAddress());
    await visit.fill("Password", "password1234");
    await visit.press("Create account");
    await visit.page.getByText("This password is in a list").waitFor();
  },
  "second-factor": (visit) => visit.open(`/second-factor#mfa_token=x&expires_at=${new Date().toISOString()}`),
  "second-factor-gone": (visit) => visit.open("/second-factor"),
  forgot: (visit) => visit.open("/forgot"),
  "forgot-sent": async (visit) => {
    await visit.open("/forgot");
    await visit.fill("Email", newAddress());
    await visit.press("Send the link");
    await visit.heading("Look into your mail");
  },
  reset: (visit) => visit.open("/reset#token=x"),
  "reset-gone": (visit) => visit.open("/reset"),
  verified: async (visit) => {
    await visit.open("/login");
    await visit.page.evaluate(() => {
      // biome-ignore lint/suspicious/noDocumentCookie: as the link of the mail sets it.
      document.cookie = "__Host-svc_verified=1; Path=/; Secure";
    });
    await visit.open("/verified");
  },
  "verified-without": (visit) => visit.open("/verified"),
  invitation: (visit) => visit.open("/invitation#token=x"),
  "signed-out": (visit) => visit.open("/signed-out"),
  error: (visit) => visit.open("/error?code=invalid_redirect_uri"),
  nowhere: (visit) => visit.open("/nowhere"),
  problems: (visit) => visit.open("/problems"),
  problem: (visit) => visit.open("/problems/revision_conflict"),
};
const signedIn: Record<string, (visit: Visit) => Promise<void>> = {
  "workspaces-new": async (visit) => {
    await visit.fill("Name", `Analytical Engines of the ${process.pid}th county, with a rather long name`);
  },
  home: async (visit) => {
    await visit.fill("Name", "Analytical Engines");
    await visit.fill("Address", `look-${newAddress().replace(/\W/g, "-")}`);
    await visit.press("Create Workspace");
    await visit.heading("Welcome to Analytical Engines");
  },
  account: async (visit) => {
    await visit.open("/account");
    await visit.page.getByText("You are here").waitFor();
  },
  "workspace-nowhere": async (visit) => {
    await visit.open("/workspaces/nowhere/tasks/ABC-1");
    await visit.page.getByText("This does not exist").waitFor();
  },
  "email-change": (visit) => visit.open("/email-change#token=x"),
  security: (visit) => visit.open("/security"),
  "second-factor-set-up": async (visit) => {
    await visit.press("Set up an authenticator");
    await visit.page.getByRole("img", { name: "QR code" }).waitFor();
  },
  "login-again": (visit) => visit.open("/login"),
};

for (const [name, reach] of Object.entries(out))
  test(`${name} can be read and used by everybody`, async () => {
    const anybody = await visit(running, chromium);
    await reach(anybody);
    await look(anybody, name);
  });

test("the pages of a signed-in person can be read and used by everybody", async () => {
  const ada = await visit(running, chromium);
  await register(ada);
  for (const [name, reach] of Object.entries(signedIn)) {
    await reach(ada);
    await look(ada, name);
  }
});

test("a field without a label, pale text and a page that is too wide are noticed", async () => {
  const ada = await visit(running, chromium);
  await ada.open("/login");
  await ada.page.locator("main form").waitFor();
  await ada.page.evaluate(() => {
    const form = document.querySelector("main form") as HTMLElement;
    form.append(document.createElement("input"));
    form.style.color = "#ccc";
    form.style.width = "400px";
  });
  expect((await faultsOf(ada.page)).map((fault) => fault.split(":")[0])).toEqual(["color-contrast", "label"]);
  await ada.page.setViewportSize({ width: 320, height: 640 });
  expect(await ada.page.evaluate(() => document.documentElement.scrollWidth)).toBeGreaterThan(320);
});

test("nothing moves after a page is shown", async () => {
  const ada = await visit(running, chromium);
  await ada.page.addInitScript(() => {
    // biome-ignore lint/suspicious/noExplicitAny: kept for the test to read.
    const kept = window as any;
    kept.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) kept.shift += (entry as unknown as { value: number }).value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  await register(ada);
  for (const path of ["/", "/login", "/register", "/forgot", "/security", "/workspaces/new", "/signed-out"]) {
    await ada.open(path);
    await ada.page.waitForLoadState("networkidle");
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    expect(await ada.page.evaluate(() => (window as any).shift), path).toBeLessThan(0.02);
  }
});

test("a password manager knows what each field is for", async () => {
  const ada = await visit(running, chromium);
  const purposes = async (path: string) => {
    await ada.open(path);
    await ada.page.locator("main form").waitFor();
    return ada.page
      .locator("main form input:not([type=checkbox])")
      .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).autocomplete));
  };
  expect(await purposes("/login")).toEqual(["username webauthn", "current-password"]);
  expect(await purposes("/register")).toEqual(["name", "username", "new-password"]);
  expect(await purposes("/forgot")).toEqual(["username"]);
  expect(await purposes("/reset#token=x")).toEqual(["new-password"]);
  expect(await purposes("/second-factor#token=x")).toEqual(["one-time-code"]);
});
