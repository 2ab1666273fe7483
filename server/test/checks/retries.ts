// Retry-safe and conflict-safe: Idempotency-Key and If-Match, for every operation that takes them.
import { type AnyOperation, takesIfMatch, takesKey, takesPrefer } from "@svc/contract/kit.ts";
import { newId } from "../../src/platform/wire/ids.ts";
import { answerFaults } from "../../src/platform/wire/input/validation.ts";
import { valuesFor } from "../covering-set.ts";
import { expectDeclared } from "../declared.ts";
import { attempt, firstSuccess, ready } from "../stage.ts";
import { newKey } from "../world.ts";
import { answersIn, type Checks, hasBody, leftBy, propertiesOf, refusedWith, same } from "./check.ts";

export const retries: Checks = {
  "an Idempotency-Key of 15 or 201 characters is refused, one of 16 or 200 is taken": {
    of: takesKey,
    async run(operation, stage) {
      const shared = await ready(stage, operation);
      const wrong = ["k".repeat(15), "k".repeat(201), "with a space inside", "ünïcödé-0123456789"];
      for (const key of valuesFor(stage, operation, wrong)) {
        const { body } = refusedWith(await attempt(stage, operation, shared, { key }), 400, "invalid_request");
        same(body.errors[0].pointer, "/headers/idempotency-key", "pointer");
      }
      const { key, answer } = await firstSuccess(stage, operation);
      same(key?.length, 200, "length of the key");
      answersIn(answer);
      const shortest = newId().slice(-16);
      answersIn(await attempt(stage, operation, await ready(stage, operation, true), { key: shortest }));
    },
  },
  "a required Idempotency-Key that is missing is refused with 400": {
    of: (operation) => operation.idempotencyKey === "required",
    async run(operation, stage) {
      const call = await ready(stage, operation);
      refusedWith(await attempt(stage, operation, call, { without: "key" }), 400, "idempotency_key_required");
    },
  },
  "a repeated call with the same key gets the same answer and does nothing more": {
    of: takesKey,
    async run(operation, stage) {
      const { call, key, answer } = await firstSuccess(stage, operation);
      const first = answersIn(answer);
      same(first.headers.get("idempotent-replayed"), null, "Idempotent-Replayed of the first");
      for (const second of [
        await attempt(stage, operation, call, { key }),
        await attempt(stage, operation, call, { key }),
      ]) {
        same([second.status, second.text], [first.status, first.text], "status and body");
        for (const name of ["etag", "location", "x-svc-command-id"])
          same(second.headers.get(name), first.headers.get(name), name);
        same(second.headers.get("idempotent-replayed"), "true", "Idempotent-Replayed");
        same(
          await leftBy(stage, second.headers.get("x-correlation-id")),
          { audited: 0, events: 0 },
          "rows of the replay",
        );
      }
    },
  },
  "Prefer: return=minimal spares the body and nothing else, unless it shows a secret; the answer that is kept is the whole one":
    {
      of: takesKey,
      async run(operation, stage) {
        const call = await ready(stage, operation, true);
        const key = newKey();
        const minimal = { key, headers: { prefer: "return=minimal" } };
        const brief = answersIn(await attempt(stage, operation, call, minimal));
        const whole = answersIn(await attempt(stage, operation, call, { key }));
        expectDeclared(operation, whole);
        const spares = takesPrefer(operation) && whole.status !== 202;
        same(brief.headers.get("preference-applied"), spares ? "return=minimal" : null, "Preference-Applied");
        if (spares) same([brief.status, brief.text], [204, ""], "status and body");
        else same([brief.status, brief.text], [whole.status, whole.text], "status and body");
        for (const name of ["etag", "location", "x-svc-command-id"])
          same(brief.headers.get(name), whole.headers.get(name), name);
        same(answersIn(await attempt(stage, operation, call, minimal)).status, brief.status, "status of its replay");
      },
    },
  "the same key with another request is refused with 409": {
    of: takesKey,
    async run(operation, stage) {
      const { call, key, answer } = await firstSuccess(stage, operation);
      answersIn(answer);
      const others = [
        { headers: { "if-match": '"77"' } },
        ...(hasBody(operation) ? [{ body: otherBody(operation, call.body) }] : []),
      ];
      for (const other of others)
        refusedWith(await attempt(stage, operation, call, { key, ...other }), 409, "idempotency_key_conflict");
    },
  },
  "a required If-Match that is missing is refused with 400": {
    of: (operation) => operation.ifMatch === "required",
    async run(operation, stage) {
      const call = await ready(stage, operation);
      refusedWith(await attempt(stage, operation, call, { without: "ifMatch" }), 400, "if_match_required");
    },
  },
  "a malformed If-Match is refused with 400": {
    of: takesIfMatch,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const malformed = ['"1', '"one"', 'W/"1"', '""', '"1", "2"', '"-1"', `"${"9".repeat(20)}"`];
      for (const value of valuesFor(stage, operation, malformed)) {
        const { body } = refusedWith(
          await attempt(stage, operation, call, { headers: { "if-match": value } }),
          400,
          "invalid_request",
        );
        same(body.errors[0].pointer, "/headers/if-match", "pointer");
      }
    },
  },
  "a stale If-Match is refused with 409 and the current revision": {
    of: takesIfMatch,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const unquoted = { headers: { "if-match": "987654321" } };
      refusedWith(await attempt(stage, operation, call, unquoted), 409, "revision_conflict");
      const { body } = refusedWith(
        await attempt(stage, operation, call, { ifMatch: "987654321" }),
        409,
        "revision_conflict",
      );
      same(body.current_revision, call.revision, "current_revision");
    },
  },
  "of several at once that name one revision one succeeds": {
    of: (operation) => takesIfMatch(operation) && !operation.quiet,
    async run(operation, stage) {
      const call = await ready(stage, operation, true);
      const answers = await Promise.all(
        Array.from({ length: 4 }, () =>
          attempt(stage, operation, call, { headers: { "if-match": `"${call.revision}"` } }),
        ),
      );
      const changed = new Set(answers.filter(({ status }) => status < 300).map(({ headers }) => headers.get("etag")));
      const succeeded = answers.filter(({ status }) => status < 300).length;
      // What changes nothing makes no revision: then all may have succeeded, with the one that they named.
      if (succeeded !== 1 && !(changed.size === 1 && changed.has(`"${call.revision}"`)))
        throw new Error(`answered ${answers.map(({ status, text }) => `${status} ${text.slice(0, 100)}`)}`);
    },
  },
};

/** Another valid body: one value changed, or an optional one left out. */
function otherBody(operation: AnyOperation, body: unknown): unknown {
  for (const [name, value] of Object.entries(body as Record<string, unknown>)) {
    const { [name]: _, ...without } = body as Record<string, unknown>;
    const list = Array.isArray(value) ? [value.slice(1), [...value, newId()]] : [];
    const parts = value?.constructor === Object ? [{}] : [];
    const { enum: allowed = [], pattern = "" } = (propertiesOf(operation.schemas.body as never)[name] ?? {}) as {
      enum?: unknown[];
      pattern?: string;
    };
    const changed = [
      `${value}x`,
      Number(value) + 1,
      ...list,
      ...parts,
      ...allowed,
      !value,
      newId(),
      { [newId()]: newId() },
    ].filter((other) => JSON.stringify(other) !== JSON.stringify(value));
    // A pattern may list the words that it allows.
    const words = pattern.match(/\w+/g)?.filter((word) => word !== value) ?? [];
    const having = (other: unknown) => ({ ...without, [name]: other });
    const others = [...changed.map(having), without, ...words.map(having)];
    const other = others.find((candidate) => answerFaults(operation.schemas.body as never, candidate).length === 0);
    if (other) return other;
  }
  throw new Error(`${operation.id}: no other valid body can be made from ${JSON.stringify(body)}: add a field`);
}
