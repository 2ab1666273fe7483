// People beside ids: every read that answers with the id of an Actor brings that person along, with name and picture,
// if it is asked to. people-beside.test.ts tests a part of the reads, people-beside.slow.test.ts the others.
import { operations } from "@svc/contract/operations.ts";
import type { TSchema } from "typebox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { implementations } from "../src/operations.ts";
import { isPicked, oneOfEach } from "./covering-set.ts";
import { fixtures } from "./fixtures.ts";
import { attempt, type Stage, stageOn, withRows } from "./stage.ts";
import { service } from "./world.ts";

const ACTOR = /(?:^|_)actor_ids?$/;
/** Reads that need not, and why. */
export const exceptions: Record<string, string> = {
  getMe: "is about the caller alone",
  getPerson: "is the person, with name and picture",
  getHomeWorkBaseline: "has them in its catalogs",
  getOwnHomeWorkBaseline: "is about the caller alone",
  resolveMembers: "has each person whole",
  getChangeSet: "is the caller's own, and has what everything in it is called",
  getCurrentWork: "is about a Task, whose own read brings people along",
  listCurrentWorkCandidates: "is about Tasks, whose own reads bring people along",
  getTaskResultSet: "names them in its query, as it was asked",
  hydrateTaskResultSet: "is a preview of Tasks, whose own reads bring people along",
  hydrateTaskSelection: "is a preview of Tasks, whose own reads bring people along",
  listTaskSavedViews: "names them in queries, as they were saved",
  listDiscussMessages: "names its own member alone, for whom something was done",
  searchDiscussMessages: "names its own member alone, for whom something was done",
  getDiscussMessage: "names its own member alone, for whom something was done",
};

type Shape = TSchema & { properties?: Record<string, Shape>; items?: Shape; anyOf?: Shape[] };
const names = (shape: Shape | undefined): string[] =>
  shape === undefined
    ? []
    : [
        ...Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => [name, ...names(inner)]),
        ...names(shape.items),
        ...(shape.anyOf ?? []).flatMap(names),
      ];
/** Reads whose answers have the id of an Actor. */
export const naming = [...operations.values()].filter(
  ({ method, schemas }) => method === "GET" && names(schemas.result as Shape).some((name) => ACTOR.test(name)),
);
export const beside = naming.filter(({ id }) => !(id in exceptions));

/** Reads of one kind that find their target in the same way form a class. */
const chosen = oneOfEach(
  implementations.filter(({ operation }) => beside.includes(operation)),
  ({ operation, access, mode }) => JSON.stringify([mode, access.reach, operation.kind]),
);
/** Whether the first tier tests this read: one of each class, and a third of the others. */
export const isTestedFirst = (id: string): boolean => chosen.has(id) || isPicked(id, "people");

/** The ids of Actors anywhere in an answer. */
const idsIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    ACTOR.test(name) ? [inner].flat().filter((id): id is string => id !== null) : idsIn(inner),
  );
};

/** Declares one test for each of these reads. */
export function testBeside(applies: (id: string) => boolean): void {
  const running = service();
  let stage: Stage;
  beforeAll(async () => {
    stage = await stageOn(running, [...operations.values()], fixtures);
  });
  afterAll(() => stage?.admin.end());

  for (const operation of beside.filter(({ id }) => applies(id)))
    test(`${operation.id} brings along everybody that it names, in as many round-trips, and nothing unasked`, async () => {
      const call = await withRows(stage, operation);
      const plain = await attempt(stage, operation, call);
      expect(plain.status, plain.text).toBe(200);
      expect(plain.body).not.toHaveProperty("included");
      const query = `${call.query ? `${call.query}&` : "?"}include=people`;
      const { status, body, text, trips } = await attempt(stage, operation, call, { query });
      expect([status, trips], text).toEqual([200, plain.trips]);
      const { included, ...answer } = body;
      const named = [...new Set(idsIn(answer))].sort();
      // A feed also brings those whom Tasks were given to, and an item of it stands for several events.
      const feeds = /Activity$|ActivityGroup|Overview$/.test(operation.id);
      expect(Object.keys(included.actors).sort()).toEqual(feeds ? expect.arrayContaining(named) : named);
    });
}
