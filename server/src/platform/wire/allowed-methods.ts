// Looks up the methods of a path for 405 responses. A route for each unsupported method would take half of a start.
import type { HTTPMethods } from "fastify";
import { METHODS } from "./send-answer.ts";

/** A path of the router: `:name` matches a part between slashes, and `*` the rest. */
export interface RouterPath {
  url: string;
  methods: HTTPMethods[];
}
export type Allowed = (path: string) => HTTPMethods[] | undefined;

const patternOf = (url: string) =>
  new RegExp(
    `^${url
      .replace(/[.+?^$()[\]{}|\\]/g, "\\$&")
      .replace(/:\w+/g, "[^/]+")
      .replace("*", ".*")}$`,
  );
/**
 * Sorts two patterns that match the same path as the router does: the one that is literal at the first difference
 * first.
 */
const preferred = ({ url: one }: RouterPath, { url: other }: RouterPath) => {
  const ranked = (url: string) => url.replace(/:\w+/g, "\uffff").replace("*", "\uffff\uffff");
  return ranked(one) < ranked(other) ? -1 : 1;
};

/** Methods of the pattern that matches a path; undefined if none does. */
export function allowedMethods(addresses: readonly RouterPath[]): Allowed {
  const known = [...addresses].sort(preferred).map(({ url, methods }) => ({ pattern: patternOf(url), methods }));
  return (path) => known.find(({ pattern }) => pattern.test(path))?.methods;
}

/** Paths with the methods that they do not accept and that the router would pass to a wider pattern. */
export function hiddenMethods(addresses: readonly RouterPath[]): RouterPath[] {
  const partsOf = (url: string) => (url.includes("*") ? 0 : url.split("/").length);
  const byParts = Map.groupBy(
    addresses.map(({ url, methods }) => ({ url, methods, pattern: patternOf(url) })),
    ({ url }) => partsOf(url),
  );
  return addresses.flatMap(({ url, methods }) => {
    const path = url.replaceAll(/[:*]/g, "");
    const wider = [...(byParts.get(0) ?? []), ...(byParts.get(partsOf(url)) ?? [])]
      .filter((other) => other.url !== url && other.pattern.test(path))
      .flatMap((each) => each.methods);
    const others = METHODS.filter((method) => wider.includes(method) && !methods.includes(method));
    return others.length > 0 ? [{ url, methods: others }] : [];
  });
}
