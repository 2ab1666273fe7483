// Letting in: credentials, CSRF, scopes, tenants and roles, for every operation from its contract.
import { isUnsafe, scopeOf } from "@svc/contract/kit.ts";
import { newId, newSecret } from "../../src/platform/wire/ids.ts";
import { valuesFor } from "../covering-set.ts";
import { attempt, credentialLetters, credentialOf, pathOf, ready, straySecrets } from "../stage.ts";
import { sessionHeaders } from "../world.ts";
import { answersIn, bySession, type Checks, idsOf, inWorkspace, refusedWith, same, signedIn } from "./check.ts";

/** About what nobody reads but those who manage it. */
export const managersAlone = new Set([
  ...["revokeInvitation", "resendInvitation", "revokeMcpServiceCredential", "resolveKnowledgeRepositoryConflict"],
  ...[
    "getWebhookEndpoint",
    "updateWebhookEndpoint",
    "deleteWebhookEndpoint",
    "rotateWebhookSecret",
    "listWebhookDeliveries",
  ],
  ...[
    "getWebhookDelivery",
    "testWebhookEndpoint",
    "replayWebhookDelivery",
    "replayIntegrationDelivery",
    "declineIntegrationRequest",
  ],
]);

export const access: Checks = {
  "without a credential it answers 401": {
    of: signedIn,
    async run(operation, stage) {
      const answer = await attempt(stage, operation, await ready(stage, operation), { as: {} });
      refusedWith(answer, 401, "authentication_required");
      same(Boolean(answer.headers.get("www-authenticate")), true, "a challenge");
    },
  },
  "an undeclared kind of credential is refused with 403, and with 401 where it is not valid": {
    of: signedIn,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      for (const letter of credentialLetters.filter((letter) => !operation.auth.includes(letter))) {
        const as = await credentialOf(stage, call.person, letter);
        const told = refusedWith(await attempt(stage, operation, call, { as }), 403, "credential_kind_not_allowed");
        same(/is a [^;]+; this operation accepts a /.test(told.text), true, "says what is accepted");
        const ended = await credentialOf(stage, call.person, letter, undefined, "revoked_at = now()");
        const code = letter === "S" ? "authentication_required" : "invalid_token";
        refusedWith(await attempt(stage, operation, call, { as: ended }), 401, code);
      }
    },
  },
  "a live secret that is no credential of this interface is refused with 401": {
    of: signedIn,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const secrets = await straySecrets(stage, call.person);
      for (const secret of valuesFor(stage, operation, [...secrets, call.person.session, "garbage"])) {
        const authorization = `Bearer ${secret}`;
        refusedWith(await attempt(stage, operation, call, { as: { authorization } }), 401, "invalid_token");
      }
      const { authorization } = await credentialOf(stage, call.person, "T");
      for (const secret of valuesFor(stage, operation, [
        ...secrets,
        authorization?.slice("Bearer ".length),
        "garbage",
      ])) {
        const as = { ...sessionHeaders(call.person.session), cookie: `__Host-svc_session=${secret}` };
        refusedWith(await attempt(stage, operation, call, { as }), 401, "authentication_required");
      }
    },
  },
  "every declared kind of credential is accepted": {
    of: (operation) => signedIn(operation) && operation.session === undefined && !operation.endsCredential,
    async run(operation, stage) {
      for (const letter of credentialLetters.filter((letter) => operation.auth.includes(letter))) {
        const call = await ready(stage, operation, isUnsafe(operation));
        answersIn(await attempt(stage, operation, call, { as: await credentialOf(stage, call.person, letter) }));
      }
    },
  },
  "an expired, a revoked and an unknown credential are refused with 401": {
    of: signedIn,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      for (const letter of credentialLetters.filter((letter) => operation.auth.includes(letter))) {
        const spoiled = ["expires_at = now()", "revoked_at = now()", "secret_hash = '\\x00'::bytea || secret_hash"];
        for (const spoil of valuesFor(stage, operation, spoiled)) {
          const as = await credentialOf(stage, call.person, letter, undefined, spoil);
          refusedWith(await attempt(stage, operation, call, { as }), 401);
        }
      }
    },
  },
  "a bad bearer beside a good cookie is refused with 401": {
    of: bySession,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const good = await credentialOf(stage, call.person, "S");
      const unknown = newSecret("pat");
      const bearers = [
        `Bearer ${unknown}`,
        `Bearer ${unknown.slice(0, -1)}!`,
        `Bearer ${call.person.session}`,
        "Basic YTpi",
        "",
      ];
      for (const authorization of valuesFor(stage, operation, bearers))
        refusedWith(await attempt(stage, operation, call, { as: { ...good, authorization } }), 401, "invalid_token");
    },
  },
  "an Authorization header sent twice is refused with 401": {
    of: signedIn,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const letter = credentialLetters.find((kind) => kind !== "S" && operation.auth.includes(kind)) ?? "T";
      const headers = {
        ...(await credentialOf(stage, call.person, "S")),
        ...(await credentialOf(stage, call.person, letter)),
      };
      same(
        await stage.sendTwice(operation.method, pathOf(operation, call.ids), headers, "authorization"),
        401,
        "status",
      );
    },
  },
  "without the CSRF token of this very session a write answers 403": {
    of: (operation) => bySession(operation) && isUnsafe(operation),
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const { cookie, "x-csrf-token": right } = (await credentialOf(stage, call.person, "S")) as {
        cookie: string;
        "x-csrf-token": string;
      };
      const other = (await credentialOf(stage, stage.foreign.owner, "S")) as { cookie: string; "x-csrf-token": string };
      const [session] = cookie.split("; ") as [string];
      const [, planted] = other.cookie.split("; ") as [string, string];
      const wrong: Record<string, string>[] = [
        { cookie },
        { cookie, "x-csrf-token": "" },
        { cookie, "x-csrf-token": "A".repeat(43) },
        { cookie, "x-csrf-token": other["x-csrf-token"] },
        // A pair that somebody planted from a session of its own.
        { cookie: `${session}; ${planted}`, "x-csrf-token": other["x-csrf-token"] },
        { cookie: `${session}; ${planted}`, "x-csrf-token": right },
      ];
      for (const as of valuesFor(stage, operation, wrong))
        refusedWith(await attempt(stage, operation, call, { as }), 403, "invalid_csrf_token");
    },
  },
  "a token without the scope answers 403": {
    of: (operation) => scopeOf(operation) !== null && operation.auth.some((letter) => letter === "T" || letter === "C"),
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const needed = scopeOf(operation);
      const others = ["svc:read", "svc:write", "svc:discuss"].filter((scope) => scope !== needed);
      for (const letter of (["T", "C"] as const).filter((kind) => operation.auth.includes(kind))) {
        for (const scopes of [others, others.slice(-1)]) {
          const as = await credentialOf(stage, call.person, letter, scopes);
          const { body } = refusedWith(await attempt(stage, operation, call, { as }), 403, "insufficient_scope");
          same(body.required_scopes, [needed], "required_scopes");
        }
      }
    },
  },

  "another tenant's id is refused exactly as one that does not exist": {
    of: (operation) => signedIn(operation) && idsOf(operation).length > 0,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const others = await ready(stage, operation, false, stage.foreign);
      for (const name of idsOf(operation)) {
        const told = await Promise.all(
          [newId(), others.ids[name] as string].map(async (id) => {
            const headers = { "x-correlation-id": "one-and-the-same" };
            const answer = refusedWith(
              await attempt(stage, operation, call, { ids: { [name]: id }, headers }),
              404,
              "not_found",
            );
            const { date: _, ...rest } = Object.fromEntries(answer.headers);
            return { ...rest, text: answer.text };
          }),
        );
        same(told[1], told[0], `the answer to a foreign ${name}`);
      }
      refusedWith(await attempt(stage, operation, call, { ids: others.ids }), 404, "not_found");
    },
  },
  "a suspended and a removed member get 404": {
    of: inWorkspace,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      for (const state of ["suspended", "removed"] as const) {
        const person = await stage.home.former(state);
        for (const letter of credentialLetters.filter((letter) => operation.auth.includes(letter))) {
          const as = await credentialOf(stage, person, letter);
          refusedWith(await attempt(stage, operation, call, { as }), 404, "not_found");
        }
      }
    },
  },
  "a viewer writes nothing: 403, or 404 where it cannot read what it is about": {
    of: (operation) => inWorkspace(operation) && isUnsafe(operation) && !operation.private,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const as = await credentialOf(stage, await stage.home.viewer(), operation.auth[0] ?? "S");
      const answer = await attempt(stage, operation, call, { as });
      if (managersAlone.has(operation.id)) refusedWith(answer, 404, "not_found");
      else refusedWith(answer, 403, "forbidden");
    },
  },
};
