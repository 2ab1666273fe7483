// A person in front of the real pages: a browser that reports whatever the pages' policy refused, whatever they logged
// as an error and whatever they loaded from another host. Every test ends with all three empty.
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import type { TestBrowser } from "../../server/test/browser.ts";
import { waitMs } from "../../server/test/wait-limit.ts";
import type { TestService } from "../../server/test/world.ts";

export interface Visit {
  page: Page;
  /** What must be empty at the end; a test that plants something takes it out again. */
  faults: string[];
  open(path: string): Promise<void>;
  /** Path and query of the address bar. */
  at(): string;
  /**
   * Waits until the page of this route is drawn: "/login", or below a Workspace "projects/:key/list". journeys.test.ts
   * counts these calls.
   */
  shows(route: string): Promise<void>;
  fill(label: string, text: string): Promise<void>;
  press(button: string): Promise<void>;
  heading(text: string | RegExp): Promise<void>;
}

/** Chromium logs every answer of 400 and more by itself: those are expected. */
const ANSWERED = /^Failed to load resource: the server responded with a status of/;

/** Whether a route such as "projects/:key" has this path; routes without a slash in front lie below a Workspace. */
export function isAddressOf(route: string, path: string): boolean {
  const whole = route.startsWith("/") ? route : `/workspaces/:slug/${route}`.replace(/\/$/, "");
  const [names, parts] = [whole.split("/"), path.split("/")];
  return (
    names.length === parts.length &&
    names.every((name, at) => name === parts[at] || (name[0] === ":" && parts[at] !== ""))
  );
}

export async function visit(
  running: TestService,
  browser: TestBrowser,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const page = await browser.page({ ...options });
  // The error of an action names its element, so it must come before the limit of the test.
  page.setDefaultTimeout(waitMs() / 2);
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !ANSWERED.test(message.text())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== running.url && !request.isNavigationRequest())
      faults.push(`asked ${request.url()}`);
  });
  await page.addInitScript(() =>
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      console.error(`policy refused ${violatedDirective} ${blockedURI}`),
    ),
  );
  onTestFinished(() => expect(faults).toEqual([]));
  return {
    page,
    faults,
    open: async (path) => {
      await page.goto(running.url + path);
    },
    at: () => page.url().slice(running.url.length),
    shows: async (route) => {
      await page.waitForURL(({ pathname }) => isAddressOf(route, pathname));
      await page.locator("main:not(:has([aria-busy=true])) h1").first().waitFor();
      expect(await page.getByText("There is nothing at this address").count(), `${route} is a page`).toBe(0);
    },
    fill: (label, text) => page.getByLabel(label, { exact: true }).fill(text),
    press: (button) => page.getByRole("button", { name: button, exact: true }).click(),
    heading: (name) => page.getByRole("heading", { level: 1, name }).waitFor(),
  };
}

/** In the application: its way to everything is there. */
export const inside = ({ page }: Visit) => page.getByRole("navigation", { name: "Navigation" }).waitFor();

export const PASSWORD = "correct horse battery staple";
let people = 0;
export const newAddress = () => `ada${++people}.${process.pid}@example.com`;

/** Through the form, as a person does it; ends where a Workspace is created. */
export async function register(visit: Visit, email = newAddress()): Promise<string> {
  await visit.open("/register");
  await visit.fill("Your name", "Ada");
  await visit.fill("Email", email);
  await visit.fill("Password", PASSWORD);
  await visit.press("Create account");
  await visit.heading("Create a Workspace");
  return email;
}

export async function signIn(visit: Visit, email: string, password = PASSWORD) {
  await visit.fill("Email", email);
  await visit.fill("Password", password);
  await visit.press("Sign in");
}
