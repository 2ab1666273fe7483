// Parses the arguments of `npm run new`: the name of an operation, and the defaults that follow from it.
import { parseArgs } from "node:util";
import { nearestNames } from "./nearest-names.ts";

export const USAGE =
  "npm run new <operation> -- [--method POST] [--path /workspaces/{workspace_id}/things] [--domain tasks] " +
  "[--file things]";
const METHODS: Record<string, RegExp> = {
  GET: /^(?:get|list|search|read|export)/,
  PATCH: /^update/,
  PUT: /^(?:replace|set)/,
  DELETE: /^(?:delete|remove)/,
  POST: /^/,
};

export interface NewOperation {
  id: string;
  method: string;
  path: string;
  domain: string;
  /** Name of the file in the domain's folder, if given. */
  file: string | undefined;
}
export interface Declared {
  id: string;
  route: string;
  path: string;
  tag: string | undefined;
  /** The file of the contract. */
  file: string;
}

export class Refusal extends Error {}
const refuse = (fault: string): never => {
  throw new Refusal(fault);
};

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/^-/, "");
const plural = (noun: string) => (/s$/.test(noun) ? noun : noun.replace(/y$/, "ie").concat("s"));

/** archiveThing: /workspaces/{workspace_id}/things/{thing_id}/archive. */
function pathFor(id: string): string {
  const [verb = "", noun = "thing"] = /^([a-z]+)(.*)$/.exec(id)?.slice(1).map(kebab) ?? [];
  const all = `/workspaces/{workspace_id}/${plural(noun)}`;
  if (/^(?:list|search|create|add)$/.test(verb)) return all;
  const one = `${all}/{${noun.replaceAll("-", "_")}_id}`;
  return /^(?:get|update|replace|delete|remove)$/.test(verb) ? one : `${one}/${verb}`;
}

const SEGMENT = /^(?:[a-z0-9][a-z0-9._-]*|\{[a-z][a-z0-9_]*\})$/;
function pathFault(path: string): string | undefined {
  const segments = path.split("/").slice(1);
  const malformed = segments.find((segment) => !SEGMENT.test(segment));
  const params = segments.filter((segment) => segment.startsWith("{"));
  if (!path.startsWith("/")) return "it must start with /";
  if (path.startsWith("/api/")) return "leave /api/v1 out";
  if (malformed !== undefined) return `${JSON.stringify(malformed)} is neither a word-in-kebab-case nor a {parameter}`;
  return new Set(params).size < params.length ? "a parameter appears twice" : undefined;
}

const shape = (route: string) => route.replace(/\{\w+\}/g, "{}");
const beginning = (path: string, count: number) => shape(path).split("/").slice(0, count).join("/");

/** The domain with most operations that share the longest prefix of this path, beyond the Workspace alone. */
function domainFor(path: string, declared: readonly Declared[]): string | undefined {
  const least = path.startsWith("/workspaces/{workspace_id}/") ? 4 : 2;
  for (let count = path.split("/").length; count >= least; count--) {
    const near = declared.filter((each) => beginning(each.path, count) === beginning(path, count));
    const byDomain = Map.groupBy(near, ({ file }) => file.split("/")[3] as string);
    const [most] = [...byDomain].sort((a, b) => b[1].length - a[1].length);
    if (most) return most[0];
  }
  return undefined;
}

export function readInput(argv: string[], declared: readonly Declared[], domains: readonly string[]): NewOperation {
  const string = { type: "string" } as const;
  const options = { method: string, path: string, domain: string, file: string };
  const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
  const [id = "", ...more] = positionals;
  if (id === "" || more.length > 0) refuse(USAGE);
  if (!/^[a-z]+(?:[A-Z][a-z0-9]*)+$/.test(id)) refuse(`${id}: a name is a verb and a noun, as in archiveThing`);
  const known = declared.find((each) => each.id === id);
  if (known) refuse(`${id} exists: ${known.route}, declared in ${known.file}`);
  const method = values.method?.toUpperCase() ?? Object.entries(METHODS).find(([, verb]) => verb.test(id))?.[0] ?? "";
  if (!(method in METHODS)) refuse(`--method ${values.method}: one of ${Object.keys(METHODS).join(", ")}`);
  const path = values.path ?? pathFor(id);
  const fault = pathFault(path);
  if (fault) refuse(`--path ${path}: ${fault}`);
  const taken = declared.find(({ route }) => shape(route) === shape(`${method} ${path}`));
  if (taken) refuse(`${method} ${path} is ${taken.id}, declared in ${taken.file}`);
  const domain = values.domain ?? domainFor(path, declared);
  if (domain === undefined) return refuse(`no domain has such a path: name one with --domain (${domains.join(", ")})`);
  if (!domains.includes(domain))
    refuse(`--domain ${domain}: the nearest are ${nearestNames(domain, domains).join(", ")}`);
  if (values.file && !/^[a-z0-9]+(?:[/-][a-z0-9]+)*$/.test(values.file))
    refuse(`--file ${values.file}: kebab-case, without .ts`);
  return { id, method, path, domain, file: values.file };
}
