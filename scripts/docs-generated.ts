// The documents that are generated from the contract and the configuration, for docs.ts: docs/openapi.json,
// docs/operations.md, docs/errors.md, docs/realtime.md, the index of decisions, the table in docs/settings.md and the
// counts in README.md.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATIONS } from "@svc/contract/named-operations.ts";
import { inOrder, openApi } from "@svc/contract/openapi.ts";
import { operations } from "@svc/contract/operations.ts";
import { variables } from "../server/src/platform/settings/config.ts";
import { errorsPage, NOTE, operationsPage, table } from "./docs-pages.ts";
import { realtimePage } from "./docs-realtime.ts";

const root = join(import.meta.dirname, "..");

/** Every generated file with its expected text. */
export function generated(): Map<string, string> {
  return new Map([
    ["docs/openapi.json", `${JSON.stringify(openApi(operations.values()), null, 2)}\n`],
    ["docs/operations.md", operationsPage(inOrder(operations.values()))],
    ["docs/errors.md", errorsPage(inOrder(operations.values()))],
    ["docs/realtime.md", realtimePage()],
    ["docs/decisions/README.md", decisionsPage()],
    ["README.md", withCounts(readFileSync(join(root, "README.md"), "utf8"))],
    ["docs/settings.md", withVariables(readFileSync(join(root, "docs/settings.md"), "utf8"))],
  ]);
}

function decisionsPage(): string {
  const records = readdirSync(join(root, "docs/decisions")).filter((name) => /^(?!0000)\d{4}-.*\.md$/.test(name));
  const lines = records.sort().map((name) => {
    const title = /^# (.*)$/m.exec(readFileSync(join(root, "docs/decisions", name), "utf8"))?.[1] ?? name;
    return `- [${title}](${name})`;
  });
  return `${NOTE}
# Decisions

Choices with an alternative that a reasonable engineer could prefer. How svc works today is on the pages of
[docs/design](../README.md#change-it), and [former.md](former.md) says where earlier records went. A new record is a copy of
[the template](0000-template.md) under the next free number.

${lines.join("\n")}
`;
}

function withVariables(page: string): string {
  const rows = Object.entries(variables).map(([name, { default: value, meaning }]) => [`\`${name}\``, value, meaning]);
  const text = table(["Variable", "Default", "Meaning"], rows);
  return page.replace(
    /(<!-- variables -->\n)[\s\S]*?(\n<!-- \/variables -->)/,
    (_all, open, close) => `${open}\n${text}\n${close}`,
  );
}

/** Inserts the numbers of operations that the specification names, and of the others. */
function withCounts(page: string): string {
  const unnamed = [...operations.values()].filter((operation) => operation.unnamed !== undefined).length;
  const counts = [operations.size - unnamed, OPERATIONS, unnamed];
  return page.replace(
    /\(\d+(\s+can\s+be\s+derived\s+from\s+it;\s+it\s+counts\s+)\d+(\)\s+and\s+)\d+(?=\s+more)/,
    (_all, counted, and) => `(${counts[0]}${counted}${counts[1]}${and}${counts[2]}`,
  );
}
