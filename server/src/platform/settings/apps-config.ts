// How the operator has registered the service at other providers: a file, because a private key has lines and no list of processes should show a secret.
import { readFileSync } from "node:fs";

/** What is said of one provider: its address, identifiers and secrets, by name. */
export type App = Readonly<Record<string, string>>;
export type Apps = Readonly<Record<string, App>>;

export function readApps(path: string): Apps {
  const apps = parsed(path);
  if (!isRecord(apps)) throw new Error(`${path} is not an object with a provider's key for each entry`);
  for (const [provider, app] of Object.entries(apps)) {
    const entries = isRecord(app) ? Object.entries(app) : [["", null]];
    const wrong = entries.find(([, value]) => typeof value !== "string" || value === "");
    if (wrong) throw new Error(`${path}: ${provider}.${wrong[0]} is not a text`);
    const url = (app as App).url;
    if (url !== undefined && !/^https?:\/\/[^/?#@]+$/.test(url))
      throw new Error(`${path}: ${provider}.url is not an origin such as https://git.example.com`);
  }
  return apps as Apps;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Of a fault nothing that stands in the file. */
function parsed(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new Error(`${path} cannot be read`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path} is not JSON`);
  }
}

/** Origins that this provider, and no other, may reach although they are not public or not https. */
export const originsFor = (apps: Apps, provider: string): string[] => {
  const url = apps[provider]?.url;
  return url === undefined ? [] : [url];
};
