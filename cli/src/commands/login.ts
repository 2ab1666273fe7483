// Sign-in with the browser (authorization code with S256 PKCE, received at an address on this machine), and sign-out.
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { openBrowser } from "../browser.ts";
import type { Run } from "../command.ts";
import {
  addressOf,
  chosenProfile,
  currentProfile,
  isProfileName,
  makeDirs,
  nameFor,
  readPlace,
  readProfile,
  useProfile,
  writeProfile,
} from "../credentials/profiles.ts";
import {
  CLIENT_ID,
  clientAt,
  DEFAULT_URL,
  forgotten,
  type Issued,
  openSession,
  tokensOf,
} from "../credentials/session.ts";
import { EXIT, Failure, usage } from "../failure.ts";
import type { Input } from "../input.ts";

const SCOPES = ["svc:read", "svc:write", "svc:discuss"];
const PATIENCE_MS = 5 * 60_000;

const page = (title: string, text: string) =>
  `<!doctype html><meta charset="utf-8"><title>${title}</title><body ` +
  `style="font-family:system-ui;max-width:32rem;margin:4rem auto"><h1>${title}</h1><p>${text}</p>`;

interface Waiting {
  redirectUri: string;
  /** Resolves to the authorization code once the browser delivers it. */
  code: Promise<string>;
  /** Accepts the final address of a browser on another machine. */
  pasted(address: string): boolean;
  close(): void;
}

/** Listens on this machine for the browser's redirect. */
async function waitForCode(state: string): Promise<Waiting> {
  let settle: { resolve(code: string): void; reject(error: Error): void };
  const code = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const taken = (query: URLSearchParams): boolean => {
    if (query.get("state") !== state) return false;
    const error = query.get("error");
    if (error !== null) {
      const why = query.get("error_description") ?? error;
      settle.reject(new Failure(EXIT.signIn, `You were not signed in: ${why}.`, "Try again: svc login"));
    } else settle.resolve(query.get("code") ?? "");
    return true;
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const known = request.method === "GET" && url.pathname === "/callback" && taken(url.searchParams);
    const denied = url.searchParams.has("error");
    response.writeHead(known ? 200 : 404, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      connection: "close",
    });
    response.end(
      known
        ? page(denied ? "Not signed in" : "Signed in", "You can close this page and go back to the terminal.")
        : page("Not found", "Nothing is here."),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    code,
    pasted: (address) => URL.canParse(address) && taken(new URL(address).searchParams),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function scopesOf(input: Input): string {
  const scopes = (input.text("scopes") ?? "svc:read,svc:write").split(/[ ,]+/).filter(Boolean);
  const unknown = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown || scopes.length === 0)
    throw usage(`${unknown ?? "Nothing"} is no scope.`, `There are: ${SCOPES.join(", ")}`);
  return scopes.join(" ");
}

export const login: Run = async (input) => {
  const { env, screen, stdin, stderr } = input;
  const asked = input.text("profile") ?? (env.SVC_PROFILE || undefined);
  if (asked !== undefined && !isProfileName(asked))
    throw usage(`${asked} is no name of a profile: letters, digits, dots and hyphens.`);
  const known = asked ?? currentProfile(env);
  const typed = input.text("address") ?? (env.SVC_URL || undefined) ?? (known && readPlace(env, known)?.url);
  const url = addressOf(typed ?? DEFAULT_URL);
  const name = asked ?? nameFor(url);
  const scope = scopesOf(input);
  // Fails early if the tokens could not be stored.
  makeDirs(env);
  if (new URL(url).protocol === "http:" && !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(url).hostname))
    stderr.write(
      `${screen.colour("yellow", "Careful:")} ${url} is not encrypted; others on the way can read your token.\n`,
    );
  const verifier = randomBytes(32).toString("base64url");
  const state = randomBytes(16).toString("base64url");
  const waiting = await waitForCode(state);
  const lines = stdin.isTTY ? createInterface({ input: stdin }) : undefined;
  const late = setTimeout(() => lines?.close(), PATIENCE_MS);
  try {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: CLIENT_ID,
      redirect_uri: waiting.redirectUri,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      scope,
      state,
    });
    const address = `${url}/api/v1/dev/oauth/authorize?${query}`;
    const opened =
      !input.has("no-browser") && (screen.interactive || env.BROWSER) && (await openBrowser(address, input));
    stderr.write(
      `${opened ? "Your browser is asked to let svc in. If it does not open, go to" : "Open this address in a browser, and let svc in"}:\n\n  ${address}\n\n`,
    );
    if (lines) {
      stderr.write("Is the browser on another machine? Then paste the address that it ends at:\n");
      lines.on("line", (line) => void waiting.pasted(line.trim()));
    }
    const tooLate = new Promise<never>((_, reject) => {
      setTimeout(
        () => reject(new Failure(EXIT.signIn, "Nobody let svc in within five minutes.", "Try again: svc login")),
        PATIENCE_MS,
      ).unref();
    });
    const code = await Promise.race([waiting.code, tooLate]);
    const issued = (await clientAt(url).createDeveloperToken({
      grant_type: "authorization_code",
      client_id: CLIENT_ID,
      code,
      redirect_uri: waiting.redirectUri,
      code_verifier: verifier,
    })) as Issued;
    const { id, slug, name: title } = await clientAt(url, issued.access_token).getDeveloperWorkspace();
    const workspace = { id, slug, name: title };
    const kept = writeProfile(env, { name, url, workspace, tokens: tokensOf(issued) });
    useProfile(env, name);
    return {
      data: { profile: name, url, workspace, scope: issued.scope, kept },
      text: () =>
        `Signed in at ${url}, in the Workspace ${title}.\nThe profile is ${name}, and its tokens are in the ` +
        `${kept === "keychain" ? "keychain" : "file of the profile, which only you can read"}.`,
      next: env.SVC_TOKEN
        ? "SVC_TOKEN is set and goes before the profile: unset it to use this sign-in"
        : "See what is on your plate: svc work",
    };
  } finally {
    clearTimeout(late);
    lines?.close();
    waiting.close();
  }
};

export const logout: Run = async (input) => {
  const { env } = input;
  if (env.SVC_TOKEN)
    throw usage(
      "SVC_TOKEN is set, and a token in the environment is not svc's to revoke.",
      "Unset it, or revoke it in the account's settings",
    );
  const name = chosenProfile(env, input.text("profile"));
  if (name === undefined || !readPlace(env, name))
    throw new Failure(EXIT.signIn, "You are not signed in, so there is nothing to sign out of.");
  let revoked = true;
  try {
    readProfile(env, name);
    await openSession(input).client.revokeDeveloperToken();
  } catch (error) {
    const { exit } = error as { exit?: number };
    const { status } = error as { status?: number };
    // An expired token needs no revocation. If the service is unreachable, the profile remains: a deleted one would
    // leave a valid token behind that nobody could revoke.
    if (exit !== EXIT.signIn && status !== 401 && !input.has("force")) throw error;
    revoked = false;
  }
  await forgotten(input, name);
  return {
    data: { profile: name, revoked },
    text: () =>
      revoked ? `Signed out of ${name}: its tokens are revoked.` : `Removed ${name}; its tokens were not revoked here.`,
  };
};
