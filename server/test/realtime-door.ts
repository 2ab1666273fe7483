// All ways to ask for a realtime socket, the answer that the specification gives to each, and the requests themselves.
import { connect } from "node:net";
import { beforeAll } from "vitest";
import { newSecret } from "../src/platform/wire/ids.ts";
import { nativeTokens } from "./native.ts";
import { handshakeFor } from "./operation-of-request.ts";
import { insertCredential, sessionHeaders, type TestService, type World, world } from "./world.ts";

export const PROTOCOL = "svc.realtime.v1";

const credentials = [
  "none",
  "session",
  "ended session",
  "native",
  "ended native",
  "ide",
  "ide without svc:read",
  "cli",
  "personal",
  "mcp",
] as const;
const cookies = ["none", "another"] as const;
const origins = ["none", "ours", "foreign", "both"] as const;
const protocols = ["right", "none", "other"] as const;
const queries = ["none", "a token"] as const;
const workspaces = ["none", "own", "other own", "a stranger's", "malformed", "twice"] as const;
export interface Case {
  credential: (typeof credentials)[number];
  cookie: (typeof cookies)[number];
  origin: (typeof origins)[number];
  protocol: (typeof protocols)[number];
  query: (typeof queries)[number];
  workspace: (typeof workspaces)[number];
}
export const cases: readonly Case[] = credentials.flatMap((credential) =>
  cookies.flatMap((cookie) =>
    origins.flatMap((origin) =>
      protocols.flatMap((protocol) =>
        queries.flatMap((query) =>
          workspaces.map((workspace) => ({ credential, cookie, origin, protocol, query, workspace })),
        ),
      ),
    ),
  ),
);

/** The specification, one line a rule: the statuses of the rules that a case breaks. */
export function broken({ credential, cookie, origin, protocol, query, workspace }: Case): number[] {
  const isSession = credential === "session" || credential === "ended session";
  const isBearer = credential !== "none" && !isSession;
  const rules: [boolean, number][] = [
    // "required header Sec-WebSocket-Protocol value svc.realtime.v1"; "no query parameters or URL credentials"; a uuid
    [protocol !== "right", 400],
    [query !== "none", 400],
    [workspace === "malformed" || workspace === "twice", 400],
    // "browser needs the current session, exactly one configured Origin"
    [["none", "ended session", "ended native", "mcp"].includes(credential), 401],
    [isSession && origin !== "ours", 403],
    // "one native bearer, no Origin or Cookie"; "IDE developer bearer forbids Origin, Cookie and URL credentials"
    [isBearer && (origin !== "none" || cookie !== "none"), 400],
    // "issued to one of two IDE client ids, with svc:read"; "CLI, MCP and personal API tokens do not admit sockets"
    [["ide without svc:read", "cli", "personal"].includes(credential), 403],
    // "the grant fixes the Workspace and an optional header must match"; for a native bearer the header selects one
    [["session", "ide"].includes(credential) && ["other own", "a stranger's"].includes(workspace), 403],
    [credential === "native" && workspace === "a stranger's", 403],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, status]) => status);
}

interface Told {
  status: number;
  code: string;
  retryAfter: string | null;
}

/** Credentials and Workspaces to ask with, made before the tests of the file begin. */
export function doorway(running: TestService) {
  let home: World;
  let sent: {
    credentials: Record<Case["credential"], Record<string, string>>;
    workspaces: Record<string, string | string[]>;
  };
  async function tokenOf(
    kind: string,
    secretKind: Parameters<typeof newSecret>[0],
    scopes: string[],
    clientId = "svc-ide-a",
  ) {
    const secret = newSecret(secretKind);
    await insertCredential(running, kind, secret, home.owner.userId, home.workspaceId, scopes);
    await running.sql(
      `update oauth_grants g set client_id = $2 from credentials c
       where c.grant_id = g.id and c.secret_hash = sha256($1::bytea)`,
      [secret, clientId],
    );
    return { authorization: `Bearer ${secret}` };
  }

  beforeAll(async () => {
    home = await world(running);
    const [other, stranger] = [await world(running), await world(running)];
    // The owner belongs to another Workspace too.
    const joining = await other.member("member");
    await running.sql("update memberships set user_id = $1 where workspace_id = $2 and user_id = $3", [
      home.owner.userId,
      other.workspaceId,
      joining.userId,
    ]);
    const former = await home.member("member");
    await running.sql("update credentials set revoked_at = now() where user_id = $1", [former.userId]);
    const native = await nativeTokens(running, home.owner.userId);
    const ended = await nativeTokens(running, home.owner.userId);
    await running.sql("update credentials set revoked_at = now() where secret_hash = sha256($1::bytea)", [
      ended.access,
    ]);
    sent = {
      credentials: {
        none: {},
        session: { cookie: sessionHeaders(home.owner.session).cookie },
        "ended session": { cookie: sessionHeaders(former.session).cookie },
        native: { authorization: `Bearer ${native.access}` },
        "ended native": { authorization: `Bearer ${ended.access}` },
        ide: await tokenOf("developer", "dat", ["svc:read"], "svc-ide-b"),
        "ide without svc:read": await tokenOf("developer", "dat", ["svc:write", "svc:discuss"]),
        cli: await tokenOf("developer", "dat", ["svc:read", "svc:write"], "svc-cli"),
        personal: await tokenOf("personal", "pat", ["svc:read"]),
        mcp: await tokenOf("mcp", "mat", ["svc:read"]),
      },
      workspaces: {
        own: home.workspaceId,
        "other own": other.workspaceId,
        "a stranger's": stranger.workspaceId,
        malformed: "mine",
        twice: [home.workspaceId, home.workspaceId],
      },
    };
  });

  /** On the bare socket: so many of them would be slow with a client of HTTP. */
  function upgrade(headers: Record<string, string | string[]>, query = ""): Promise<Told> {
    const lines = Object.entries({ host: "localhost", ...headers }).flatMap(([name, values]) =>
      [values].flat().map((value) => `${name}: ${value}\r\n`),
    );
    return new Promise((resolve, reject) => {
      let text = "";
      const socket = connect(Number(new URL(running.url).port), "127.0.0.1");
      const answered = () => {
        const [head = "", body] = text.split("\r\n\r\n");
        const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
        if (body === undefined || (status !== 101 && body.length < Number(/content-length: (\d+)/i.exec(head)?.[1])))
          return;
        socket.destroy();
        const isRight =
          status === 101
            ? head.includes(`Sec-WebSocket-Protocol: ${PROTOCOL}`)
            : head.includes("application/problem+json");
        const retryAfter = /retry-after: (\d+)/i.exec(head)?.[1] ?? null;
        if (isRight) resolve({ status, code: status === 101 ? "" : JSON.parse(body).code, retryAfter });
        else reject(new Error(text));
      };
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
        answered();
      });
      socket.on("error", reject);
      socket.write(`GET /api/v1/realtime${query} HTTP/1.1\r\n${lines.join("")}\r\n`);
    });
  }

  function headersOf({ credential, cookie, origin, protocol, workspace }: Case): Record<string, string | string[]> {
    const own = sent.credentials[credential];
    const [ours, foreign] = [running.url, "https://elsewhere.example"];
    const said = { none: undefined, ours, foreign, both: [ours, foreign] }[origin];
    const offered = { right: PROTOCOL, none: undefined, other: "svc.realtime.v2" }[protocol];
    const all = {
      ...handshakeFor(PROTOCOL, {}, ""),
      ...own,
      "sec-websocket-protocol": offered,
      origin: said,
      "x-svc-workspace-id": sent.workspaces[workspace],
      cookie: [own.cookie, cookie === "another" ? "theme=dark" : undefined].filter(Boolean).join("; ") || undefined,
    };
    return Object.fromEntries(
      Object.entries(all).filter((pair): pair is [string, string | string[]] => pair[1] !== undefined),
    );
  }

  return {
    home: () => home,
    sent: () => sent,
    upgrade,
    /** Asks in these ways, 16 at once: the answers that were not as specified, and how often each status was. */
    async answersTo(asked: readonly Case[]) {
      const wrong: string[] = [];
      const counts: Record<number, number> = {};
      const waiting = [...asked];
      const worker = async () => {
        for (let next = waiting.pop(); next; next = waiting.pop()) {
          const { status, code } = await upgrade(
            headersOf(next),
            next.query === "none" ? "" : "?access_token=svc_nat_x",
          );
          const rules = broken(next);
          counts[status] = (counts[status] ?? 0) + 1;
          if (rules.length === 0 ? status !== 101 : !rules.includes(status))
            wrong.push(`${status} ${code} instead of ${rules}: ${JSON.stringify(next)}`);
        }
      };
      await Promise.all(Array.from({ length: 16 }, worker));
      return { wrong, counts };
    },
  };
}
