// Which methods an address takes, for the answer to a method that it does not take. A route for each such method made half of a start.
import type { HTTPMethods } from "fastify";
import { METHODS } from "./send.ts";

/** A path of the router: `:name` takes a part between slashes, and `*` the rest. */
export interface Address {
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
/** Of two that take the same path, the router prefers the one that is literal where they first differ. */
const preferred = ({ url: one }: Address, { url: other }: Address) => {
  const ranked = (url: string) => url.replace(/:\w+/g, "\uffff").replace("*", "\uffff\uffff");
  return ranked(one) < ranked(other) ? -1 : 1;
};

/** The methods of the address that takes a path; undefined if none does. */
export function allowedMethods(addresses: readonly Address[]): Allowed {
  const known = [...addresses].sort(preferred).map(({ url, methods }) => ({ pattern: patternOf(url), methods }));
  return (path) => known.find(({ pattern }) => pattern.test(path))?.methods;
}

/** Addresses with the methods that they do not take and that the router would pass to a wider address. */
export function hiddenMethods(addresses: readonly Address[]): Address[] {
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
