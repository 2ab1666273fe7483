// What a caller sends: query, path, body, page and cursor, for every operation from its schemas.
import { type AnyOperation, ignoresUnknown, isUnsafe } from "@svc/contract/kit.ts";
import { newId } from "../../src/platform/wire/ids.ts";
import { inputSchemas } from "../../src/platform/wire/input/validation.ts";
import { valuesFor } from "../covering-set.ts";
import { attempt, credentialOf, ready, withRows } from "../stage.ts";
import { managersAlone } from "./access.ts";
import { answersIn, type Checks, hasBody, idsOf, isList, propertiesOf, refusedWith, same } from "./check.ts";

const FORM = "application/x-www-form-urlencoded";
/** OAuth endpoints ignore what they do not know (RFC 6749, 3.1 and 3.2). */
const refusesUnknown = (operation: AnyOperation) => !ignoresUnknown(operation);

/** Beside what the query must say. */
const asking = ({ query }: { query: string }, more: string) => `${query ? `${query}&` : "?"}${more}`;

export const input: Checks = {
  "an unknown query parameter is refused with 400": {
    of: refusesUnknown,
    async run(operation, stage) {
      const answer = await attempt(stage, operation, await ready(stage, operation), { query: "?surprise=1" });
      refusedWith(answer, 400, "invalid_request", "/query/surprise");
    },
  },
  "a query parameter given twice is refused with 400": {
    async run(operation, stage) {
      const name = Object.keys(propertiesOf(inputSchemas(operation).query)).at(-1) ?? "x";
      const answer = await attempt(stage, operation, await ready(stage, operation), { query: `?${name}=1&${name}=1` });
      const { body } = refusedWith(answer, 400, "invalid_request", `/query/${name}`);
      if (operation.oauth) return;
      same(
        body.errors.some((fault: { code: string }) => fault.code === "repeated"),
        true,
        "a fault that says repeated",
      );
    },
  },
  "an unknown field in the body is refused with 400": {
    of: (operation) => hasBody(operation) && refusesUnknown(operation),
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const body = { ...(call.body as object), surprise: 1 };
      refusedWith(await attempt(stage, operation, call, { body }), 400, "invalid_request", "/body/surprise");
    },
  },
  "a body that is missing, not JSON or no object is refused with 400": {
    of: hasBody,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const type = operation.form ? FORM : "application/json";
      for (const raw of valuesFor(stage, operation, operation.form ? [""] : ["", "{", "[]", "null", '"x"', "1"])) {
        const answer = await attempt(stage, operation, call, { raw, headers: { "content-type": type } });
        refusedWith(answer, 400, "invalid_request", "/body");
      }
    },
  },
  "a body with members where none is declared is refused with 400": {
    of: (operation) => isUnsafe(operation) && operation.schemas.body === undefined && refusesUnknown(operation),
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const sent = (raw: string, type = "application/json") =>
        attempt(stage, operation, call, { raw, headers: { "content-type": type } });
      refusedWith(await sent('{"surprise":1}'), 400, "invalid_request", "/body/surprise");
      for (const raw of valuesFor(stage, operation, ["[]", "null", '"x"', "{"]))
        refusedWith(await sent(raw), 400, "invalid_request", "/body");
      refusedWith(await sent("surprise=1", FORM), 400, "invalid_request", "/body");
    },
  },
  "a body of another content type is refused with 415": {
    of: hasBody,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      const other = operation.form ? "application/json" : FORM;
      const types = ["text/plain", other, "application/json; charset=latin1", "application/jsonp"];
      for (const type of valuesFor(stage, operation, types)) {
        const answer = await attempt(stage, operation, call, {
          raw: JSON.stringify(call.body),
          headers: { "content-type": type },
        });
        refusedWith(answer, 415, "unsupported_media_type");
      }
    },
  },
  "a malformed id in the path is refused with 400": {
    of: (operation) => idsOf(operation).length > 0,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      for (const name of idsOf(operation)) {
        for (const id of valuesFor(stage, operation, ["not-an-id", `${newId()}0`, "%27%20or%201=1"]))
          refusedWith(
            await attempt(stage, operation, call, { ids: { [name]: id } }),
            400,
            "invalid_request",
            `/path/${name}`,
          );
      }
    },
  },
  "a limit other than 1 to 100 is refused with 400": {
    of: isList,
    async run(operation, stage) {
      const call = await ready(stage, operation);
      for (const limit of valuesFor(stage, operation, ["0", "101", "-1", "abc", "1.5", "1e2x", "", "%00"]))
        refusedWith(
          await attempt(stage, operation, call, { query: asking(call, `limit=${limit}`) }),
          400,
          "invalid_request",
          "/query/limit",
        );
      for (const limit of ["1", "100"])
        answersIn(await attempt(stage, operation, call, { query: asking(call, `limit=${limit}`) }));
    },
  },
  "a cursor leads on, and only for the one to whom it was given": {
    of: isList,
    async run(operation, stage) {
      const call = await withRows(stage, operation);
      const first = answersIn(await attempt(stage, operation, call, { query: asking(call, "limit=1") })).body;
      const cursor = first.next_cursor as string | null;
      if (cursor === null)
        throw new Error(`there is no second page: give ${operation.id} a \`row\` in server/test/fixtures/`);
      const next = answersIn(
        await attempt(stage, operation, call, { query: asking(call, `limit=1&cursor=${cursor}`) }),
      ).body;
      // Not every item has an id.
      same(JSON.stringify(next.items) === JSON.stringify(first.items), false, "the second page is the first");
      const [payload, signature] = cursor.split(".") as [string, string];
      const forged = [
        Buffer.from("[null]").toString("base64url"),
        `${Buffer.from("[null]").toString("base64url")}.${signature}`,
        `${payload}.${signature.slice(0, -1)}`,
        payload,
        `${cursor}.x`,
        `${cursor}A`,
        "x",
        "%00",
      ];
      for (const wrong of valuesFor(stage, operation, forged))
        refusedWith(
          await attempt(stage, operation, call, { query: asking(call, `limit=1&cursor=${wrong}`) }),
          400,
          "invalid_cursor",
        );
      // Some are for those who manage, and for nobody else.
      const isManagers = operation.errors?.includes("forbidden") || managersAlone.has(operation.id);
      const other = await (isManagers ? stage.home.member("admin") : stage.home.viewer());
      const as = await credentialOf(stage, other, operation.auth[0] ?? "S");
      refusedWith(
        await attempt(stage, operation, call, { as, query: asking(call, `limit=1&cursor=${cursor}`) }),
        400,
        "invalid_cursor",
      );
    },
  },
};
