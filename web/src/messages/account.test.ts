// The pages of the account speak German where somebody does: each of their texts has its German, with the same values,
// and no German is left over.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { messageOf, messages } from "../account/problem-messages.ts";
import { account } from "./de/account/account.ts";
import { say, speak } from "./t.ts";

const root = join(import.meta.dirname, "..");
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (name) => /\.tsx?$/.test(name) && !name.includes(".test.") && !name.startsWith("messages/"),
);
const text = files.map((name) => readFileSync(join(root, name), "utf8")).join("\n");
const valuesIn = (words: string) => [...words.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

test("every text that is said has its German", () => {
  const said = [...text.matchAll(/\bsay\(\s*("(?:[^"\\]|\\.)*")/g)].map(([, words]) => JSON.parse(words as string));
  expect(said.length).toBeGreaterThan(200);
  expect([...new Set(said)].filter((words) => !(words in account))).toEqual([]);
});

test("what went wrong is told in German, too, with what to do next", () => {
  for (const { title, text: what, next } of Object.values(messages))
    for (const words of [title, what, ...(next ? [next.label] : [])]) expect(account, words).toHaveProperty([words]);
});

test("German has the values of English, and nothing that nobody says", () => {
  for (const [english, german] of Object.entries(account)) expect(valuesIn(german), english).toEqual(valuesIn(english));
  const unused = Object.keys(account).filter((words) => !text.includes(JSON.stringify(words)));
  expect(unused).toEqual([]);
});

test("the pages have no words of their own beside these", () => {
  const pages = files.filter((name) => /^(?:account|review)\//.test(name) || !name.includes("/"));
  const found = pages.flatMap((name) => {
    const page = readFileSync(join(root, name), "utf8");
    const attributes = page.matchAll(/(?:aria-label|title|lead|hint|action|working|label)="([^"]*[a-z]{3,}[^"]*)"/g);
    const children = page.matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+[.]?)\s*</g);
    return [...attributes, ...children].map(([, words]) => `${name}: ${words}`);
  });
  // The name of the service is the same everywhere.
  expect(found.filter((line) => !line.endsWith(": svc"))).toEqual([]);
});

test("a name is itself in every language, and a refusal speaks the chosen one", async () => {
  vi.stubGlobal("document", { documentElement: {} });
  await speak("de-CH");
  expect([say("Ada"), say("Hello, {name}", { name: "Ada" })]).toEqual(["Ada", "Guten Tag, Ada"]);
  expect(messageOf("rate_limited").title).toBe("Zu viele Versuche");
  await speak("en");
  expect(messageOf("rate_limited").title).toBe("Too many attempts");
});
afterAll(() => void vi.unstubAllGlobals());
