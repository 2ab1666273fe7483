// Reads the lists of a provider page by page, a thousand items at most, without trusting the shape of an answer.
import type { Ask, Resource } from "../client/provider.ts";
import { ProviderFault } from "../client/provider-http.ts";
import { textOf } from "./untrusted-fields.ts";

const MOST = 1000;

/** An http(s) address that is safe to link to; null if it is none. */
export function pageIn(value: unknown): string | null {
  const text = textOf(value, 2000);
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : null;
}

/** Reads numbered pages until one is not full. `items` extracts the list from an answer. */
export async function numbered(
  ask: Ask,
  path: string,
  size: number,
  items: (body: unknown) => unknown,
  read: (item: unknown) => Resource | null,
): Promise<Resource[]> {
  const found: Resource[] = [];
  for (let page = 1; found.length < MOST; page++) {
    const listed = items((await ask("GET", `${path}&page=${page}`, { bytes: 8 * 1024 * 1024 })).body);
    if (!Array.isArray(listed)) throw new ProviderFault("unreachable");
    found.push(...listed.flatMap((item) => read(item) ?? []));
    if (listed.length < size || page * size >= MOST) break;
  }
  return found.slice(0, MOST);
}

/** Null without an id and a name. */
export function resourceOf(kind: Resource["kind"], externalId: unknown, name: unknown, url: unknown): Resource | null {
  const [id, called] = [textOf(externalId, 200), textOf(name, 300)];
  return id === "" || called === "" ? null : { externalId: id, kind, name: called, url: pageIn(url) };
}
