// Every language says everything, with the same values, and every text of the application comes from the catalogue.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { declaredErrors } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { describe, expect, test } from "vitest";
import { de } from "./de.ts";
import { en as first } from "./en.ts";
import { later as agents } from "./later/agents.ts";
import { later as billing } from "./later/billing.ts";
import { later as documents } from "./later/documents.ts";
import { later as imported } from "./later/import.ts";
import { later as integrations } from "./later/integrations.ts";
import { later as settings } from "./later/settings.ts";
import { later as talk } from "./later/talk.ts";
import { later as tools } from "./later/tools.ts";
import { later as webhooks } from "./later/webhooks.ts";
import { type Key, t, tn, why } from "./t.ts";

/** What comes with some pages, and with which. */
const later = [
  { texts: settings, where: /^(?:settings|receipts|agents|billing|webhooks|integrations)\/|^shell\/palette\.tsx$/ },
  { texts: documents, where: /^documents\// },
  { texts: imported, where: /^shell\/start\/import\// },
  { texts: talk, where: /^discuss\// },
  { texts: tools, where: /^(?:discuss|agents)\// },
  { texts: integrations, where: /^integrations\/|^tasks\/panel\/entities\.tsx$/ },
  { texts: agents, where: /^agents\// },
  { texts: billing, where: /^billing\// },
  { texts: webhooks, where: /^webhooks\// },
];
/** All of it. */
const en: Record<string, string> = Object.assign({}, first, ...later.map(({ texts }) => texts));
const valuesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

test("German has the keys of English, each with the same values", () => {
  expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
  for (const key of Object.keys(en) as Key[]) {
    expect(valuesIn(de[key]), key).toEqual(valuesIn(en[key] as string));
    expect(de[key].trim(), key).not.toBe("");
  }
});

test("what is told by number is told for one and for many", () => {
  const forms = (Object.keys(en) as string[]).filter((key) => /\.(?:one|other)$/.test(key));
  for (const key of forms.filter((name) => name !== "refused.other"))
    expect(en).toHaveProperty([key.replace(/\.one$/, ".other")]);
  expect([tn("select.count", 1), tn("select.count", 2000)]).toEqual(["1 selected", "2,000 selected"]);
});

test("a value that is not given leaves nothing behind, and an unknown refusal is told in general", () => {
  expect(t("task.panel")).toBe("Task ");
  expect(why("constructor")).toBe(en["refused.other"]);
  expect(why("forbidden")).toBe(en["refused.forbidden"]);
});

describe("the application", () => {
  /** Not yet: the pages of the account, and what they share with the settings. */
  const older = ["account", "review", "messages", "store"];
  const files = readdirSync(join(import.meta.dirname, ".."), { recursive: true, encoding: "utf8" }).filter(
    (name) => name.includes("/") && !older.includes(name.split("/")[0] as string) && /(?<!\.test)\.tsx?$/.test(name),
  );

  const read = (name: string) => readFileSync(join(import.meta.dirname, "..", name), "utf8");

  test("has words for every refusal that a person can meet", () => {
    const text = [...files, "store/hints.ts"].map(read).join("\n");
    const names = /(?:api|client)\s*\.(\w+)\(|make\(\s*"(\w+)"|^ +(\w+):/gm;
    const used = new Set([...text.matchAll(names)].map(([, ...name]) => name.find(Boolean)));
    const called = [...operations.values()].filter(({ id }) => used.has(id));
    expect(called.length).toBeGreaterThan(120);
    /** Where the application itself has made a mistake, or asks again by itself: these are told in general. */
    const itsOwn =
      /^(?:idempotency_|baseline_|invalid_(?:token|csrf_token|cursor)$|if_match_required|insufficient_scope|credential_kind_|unsupported_media_|workspace_required)/;
    const codes = new Set(called.flatMap((operation) => declaredErrors(operation)));
    expect([...codes].filter((code) => !itsOwn.test(code) && !(`refused.${code}` in en))).toEqual([]);
  });

  test("has no words of its own in what it draws", () => {
    const found: string[] = [];
    for (const name of files) {
      const text = readFileSync(join(import.meta.dirname, "..", name), "utf8");
      for (const [, words] of text.matchAll(/(?:aria-label|title|placeholder|label)="([^"]*[a-z]{3,}[^"]*)"/g))
        found.push(`${name}: ${words}`);
      for (const [, words] of text.matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+[.]?)\s*</g)) found.push(`${name}: ${words}`);
    }
    // It is called so in every language.
    expect(found.filter((line) => !line.endsWith(": Workspace"))).toEqual([]);
  });

  test.each(later)("uses the texts that come later only where they come: $where", ({ texts, where }) => {
    const text = files
      .filter((name) => !where.test(name))
      .map((name) => readFileSync(join(import.meta.dirname, "..", name), "utf8"))
      .join("\n");
    const used = Object.keys(texts).filter(
      (key) =>
        text.includes(`"${key}"`) ||
        text.includes(`"${key.replace(/\.(?:one|other)$/, "")}"`) ||
        text.includes(`\`${key.slice(0, key.lastIndexOf(".") + 1)}\${`),
    );
    expect(used).toEqual([]);
  });

  test("uses every text that the catalogue has", () => {
    const all = [...files, "review/list.tsx", "review/change-set-page.tsx", "review/receipt.tsx"]
      .map((name) => readFileSync(join(import.meta.dirname, "..", name), "utf8"))
      .join("\n");
    const isUsed = (key: string) =>
      all.includes(`"${key}"`) ||
      all.includes(`"${key.replace(/\.(?:one|other)$/, "")}"`) ||
      /^(?:refused|change|did|role|behavior|notify|task\.priority|shell\.theme|order|category|view)\./.test(key) ||
      all.includes(`\`${key.slice(0, key.lastIndexOf(".") + 1)}\${`);
    expect(Object.keys(en).filter((key) => !isUsed(key))).toEqual([]);
  });
});
