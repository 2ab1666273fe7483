// Registrations of the service at other providers. They are in a file, because a private key has several lines and
// secrets must not show in a process list.
import { readFileSync } from "node:fs";

/** Address, identifiers and secrets of one provider, by name. */
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

/** Error messages never quote the content of the file. */
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

/** Origins that this provider alone may reach although they are not public or not https. */
export const originsFor = (apps: Apps, provider: string): string[] => {
  const url = apps[provider]?.url;
  return url === undefined ? [] : [url];
};
