// Finds the declared operation that a new one resembles most. `npm run new` proposes its access rule, its row of roles
// and its fixture. An operation on a resource that no other operation names has no sibling, and gets no proposals.
import { posix } from "node:path";
import type { Declared, NewOperation } from "./new-operation-input.ts";

const isRead = (method: string) => method === "GET";
const verbOf = (id: string) => /^[a-z]+/.exec(id)?.[0];
const ORDER = ["GET", "PATCH", "PUT", "POST", "DELETE"];

/**
 * A read resembles reads, and a write resembles writes, of the same resource. The nearest path comes first, then the
 * same verb, then the resource itself. A Workspace is a resource only within one domain.
 */
export function siblingOf({ id, method, path, domain }: NewOperation, declared: readonly Declared[]) {
  const resource = path.slice(0, path.lastIndexOf("}") + 1);
  const isBelow = (each: Declared) => each.path === resource || each.path.startsWith(`${resource}/`);
  const isInDomain = isOf(domain);
  const rank = (each: Declared) => [
    -sharedBy(path, each.path),
    Number(verbOf(each.id) !== verbOf(id)),
    each.path.split("/").length,
    ORDER.indexOf(each.route.split(" ")[0] as string),
  ];
  return declared
    .filter((each) => isRead(each.route.split(" ")[0] as string) === isRead(method) && isBelow(each))
    .filter((each) => isInDomain(each) || !["", "/workspaces/{workspace_id}"].includes(resource))
    .map((each) => ({ each, rank: rank(each) }))
    .sort((a, b) => a.rank.map((value, at) => value - (b.rank[at] as number)).find(Boolean) ?? 0)
    .at(0)?.each;
}

/** Whether an operation is declared in this domain: in contract/src/planning/tasks/ for `tasks`. */
export const isOf =
  (domain: string) =>
  ({ file }: Declared) =>
    file.split("/")[3] === domain;

/** Number of segments that both paths begin with. */
export function sharedBy(one: string, other: string): number {
  const [left, right] = [one.split("/"), other.split("/")];
  const differs = left.findIndex((segment, at) => segment !== right[at]);
  return differs < 0 ? left.length : differs;
}

export interface Rule {
  /** The expression, such as `label("work:read")`. */
  text: string;
  /** Names that it needs, by the module that exports them; empty in the sibling's own file. */
  imports: Map<string, string[]>;
}

/**
 * The second argument of `implement`, up to the comma outside its parentheses; undefined unless it is a name or a call
 * on one line.
 */
function secondArgument(id: string, text: string): string | undefined {
  const found = new RegExp(`^export const ${id} = implement\\w*\\(\\s*contract\\.${id},\\s*`, "m").exec(text);
  const rest = found ? text.slice(found.index + found[0].length) : "";
  return /^\w+(?:\([^(){}\n]*\))?(?=,)/.exec(rest)?.[0];
}

/**
 * The sibling's access rule for use in another file; undefined if it needs something that the sibling's file does not
 * export.
 */
export function ruleOf({ id, file }: Declared, text: string, target: string): Rule | undefined {
  const [rule, source] = [secondArgument(id, text), file.replace("contract/", "server/")];
  if (rule === undefined) return undefined;
  if (source === target) return { text: rule, imports: new Map() };
  const imports = new Map<string, string[]>();
  for (const [name] of rule.replace(/"[^"]*"/g, "").matchAll(/\b[A-Za-z]\w*/g)) {
    const [, module] = new RegExp(`^import \\{[^}]*\\b${name}\\b[^}]*\\} from "(\\.[^"]+)";$`, "m").exec(text) ?? [];
    if (module === undefined) return undefined;
    const path = posix.relative(posix.dirname(target), posix.join(posix.dirname(source), module));
    const there = path.startsWith(".") ? path : `./${path}`;
    imports.set(there, [...(imports.get(there) ?? []), name]);
  }
  return { text: rule, imports };
}
