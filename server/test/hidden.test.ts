// A third of the callers of the covering set, and things that are there and shown to nobody any more.
// hidden.slow.test.ts tests the other callers and operations, and role-matrix.test.ts the answers to a caller who can
// read and is refused.
import type { AnyOperation } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { describe, expect, test } from "vitest";
import { newId } from "../src/platform/wire/ids.ts";
import { representatives } from "./covering-set.ts";
import { hiddenThings, isAskedFirst, SAME_ID, shownOf } from "./hidden-things.ts";
import type { Home } from "./home.ts";
import { plantedOperations } from "./planted.ts";
import { attempt, credentialOf, ready } from "./stage.ts";

const { running, testHidden, told, stage, homes } = hiddenThings();
const planted = plantedOperations.find(({ id }) => id === "tellsThatItExists") as AnyOperation;
testHidden(({ id }) => representatives.has(id), isAskedFirst);

test("an operation that tells is noticed", async () => {
  const leaks = await told(planted, "visible");
  expect(leaks).toContainEqual(expect.stringMatching(/^outsider by S, workspace_id: 403 /));
});

describe("what is there and shown to nobody any more is for those who manage it, and for everybody else as if it were not", () => {
  type Gone = (home: Home) => Promise<string>;
  const made = async (home: Home, parameter: string, sql: string) => {
    const { id } = await home.make(parameter);
    await running.sql(sql, [id], home.workspaceId);
    return id;
  };
  const state: Gone = (home) => made(home, "state_id", "update project_states set archived_at = now() where id = $1");
  const entry: Gone = (home) => made(home, "entry_id", "update time_entries set voided_at = now() where id = $1");
  const cases: [string, string, Gone, string[]][] = [
    ["a voided time entry", "entry_id", entry, ["updateTimeEntry", "deleteTimeEntry"]],
    [
      "an archived project state",
      "state_id",
      state,
      ["updateProjectState", "deleteProjectState", "archiveProjectState", "moveProjectState"],
    ],
    [
      "somebody who is not in the Project",
      "actor_id",
      async (home) => (await home.member("viewer")).actorId,
      ["removeProjectMember"],
    ],
    [
      "an Actor that is nobody's membership",
      "actor_id",
      async ({ workspaceId }) => {
        const id = newId();
        await running.sql(
          "insert into actors (workspace_id, id, kind) values ($1, $2, 'service')",
          [workspaceId, id],
          workspaceId,
        );
        return id;
      },
      ["removeProjectMember"],
    ],
  ];
  for (const [name, parameter, gone, ids] of cases)
    for (const role of ["member", "viewer"] as const)
      test(`${name}, to a ${role}`, async () => {
        const home = homes().visible;
        const person = await home.member(role);
        for (const id of ids) {
          const operation = operations.get(id) as AnyOperation;
          const call = await ready(stage(), operation);
          const ask = async (value: string) =>
            shownOf(
              await attempt(stage(), operation, call, {
                as: await credentialOf(stage(), person, "S"),
                ids: { [parameter]: value },
                headers: { ...SAME_ID, "if-match": "*" },
              }),
            );
          const [there, missing] = [await ask(await gone(home)), await ask(newId())];
          expect(there, id).toEqual(missing);
          expect(there.status).toBe(404);
        }
      });
});
