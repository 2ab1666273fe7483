// An IDE plugin: signs in through the browser, lists your work, and lists it again whenever a Task changes. node ide.ts
// ADDRESS [svc-ide-a | svc-ide-b]. A real plugin stores its tokens in the IDE's secret store, and starts with the
// refresh token.
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@svc/client";

const [url = "http://localhost:8080", client_id = "svc-ide-a"] = process.argv.slice(2);
const anybody = createClient({ url });

/** Authorization code with PKCE, received by a server on this machine. */
async function signIn() {
  const verifier = randomBytes(32).toString("base64url");
  const state = randomBytes(16).toString("base64url");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const redirect_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const query = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    scope: "svc:read",
    state,
  });
  console.log(`Open this address in a browser:\n\n  ${url}/api/v1/dev/oauth/authorize?${query}\n`);
  const code = await new Promise<string>((resolve, reject) => {
    server.on("request", (request, response) => {
      const answer = new URL(request.url ?? "/", redirect_uri).searchParams;
      if (answer.get("state") !== state) return response.writeHead(404).end();
      response.end("You can close this page.");
      const given = answer.get("code");
      given ? resolve(given) : reject(new Error(`You were not signed in: ${answer.get("error")}`));
    });
  }).finally(() => server.close());
  return anybody.createDeveloperToken({
    grant_type: "authorization_code",
    client_id,
    code,
    redirect_uri,
    code_verifier: verifier,
  });
}

let tokens = await signIn();
let renewing: Promise<void> | undefined;
/** A refresh token works once: concurrent callers share one renewal. */
function renew(): Promise<void> {
  const { refresh_token } = tokens;
  renewing ??= anybody
    .createDeveloperToken({ grant_type: "refresh_token", client_id, refresh_token })
    .then((next) => {
      tokens = next;
    })
    .finally(() => {
      renewing = undefined;
    });
  return renewing;
}

const svc = createClient({
  url,
  async token(refused) {
    if (refused) await renew();
    return tokens.access_token;
  },
});

async function showWork() {
  console.log("My work:");
  for await (const { code, title, status } of svc.listCliWork()) console.log(`  ${code}  ${title}  (${status.name})`);
}

const live = svc.realtime({ onState: (state, reason) => console.log(`[${state}] ${reason}`.trim()) });
live.follow(
  { scope: "workspace" },
  {
    async baseline() {
      // Reads the cursor first, so that changes made while the list is read are delivered.
      const { cursor } = await svc.getRealtimeBaseline();
      await showWork();
      return cursor;
    },
    async changed(changes) {
      if (changes.some(({ kind }) => kind === "task")) await showWork();
    },
  },
);
process.on("SIGINT", () => {
  live.close();
  void svc.revokeDeveloperToken().finally(() => process.exit());
});
