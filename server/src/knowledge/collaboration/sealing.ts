// How what people write together and what the Task or Document says come to agree. What was written becomes a revision (sealing), and what a request has
// written meanwhile becomes a change of the text (taking in). Both are worked out from the database alone, outside of a transaction, and kept only
// where nobody else was faster: any process may do either for any text, whether somebody is editing it there or not.
import { setTimeout as sleep } from "node:timers/promises";
import { MOST_MARKDOWN } from "@svc/contract/types.ts";
import * as Y from "yjs";
import type { Database } from "../../platform/database/db.ts";
import { isUnavailable } from "../../platform/database/translate.ts";
import { Refusal, refuse } from "../../platform/wire/problem.ts";
import { difference } from "./merge.ts";
import { docOf, nodeOf, partOf } from "./rich-text.ts";
import { append, moveState, type Place, reading, readText, type Stored, writing } from "./store.ts";
import { formsOf, type Target, targets } from "./targets.ts";

/** Somebody else was faster: it is looked at again. */
class Overtaken extends Error {}
const MOST_ATTEMPTS = 8;

export interface Sealer {
  /** Writes down what was written; `true` where the text has changed by it, because a request had written something. */
  seal(place: Place): Promise<void>;
  /** Takes in what a request has written, and writes nothing down. */
  takeIn(place: Place): Promise<void>;
}

export function sealer(database: Database): Sealer {
  async function attempt(place: Place, sealing: boolean): Promise<void> {
    const [text, target] = await readBoth(place);
    if (!text || !target) return;
    if (target.now.tag !== text.sealedAs) {
      await takeInto(place, text, target);
      return sealing ? attempt(place, sealing) : undefined;
    }
    if (sealing && text.lastSeq > text.stateSeq) await writeDown(place, text, target);
  }

  const readBoth = (place: Place) =>
    reading(database, place, async (tx) => {
      const text = await readText(tx, place);
      if (!text) return [undefined, undefined] as const;
      const kind = targets[text.kind];
      const now = await kind.read(tx, place);
      return [text, now && { kind, now }] as const;
    });

  async function takeInto(place: Place, text: Stored, { kind, now }: Found): Promise<void> {
    const wanted = await kind.nodeOf(now.text, place);
    const version = docOf(text.state);
    const live = docOf(text.state, ...text.updates.map(({ data }) => data));
    const update = difference(version, live, wanted);
    const to = { state: Y.encodeStateAsUpdate(version), seq: text.stateSeq, sealedAs: now.tag };
    await writing(database, place, async (tx) => {
      if (update) await append(tx, place, update, []);
      if (!(await moveState(tx, place, text, to))) throw new Overtaken();
    });
  }

  async function writeDown(place: Place, text: Stored, { kind, now }: Found): Promise<void> {
    const live = docOf(text.state, ...text.updates.map(({ data }) => data));
    const content = nodeOf(partOf(live));
    const authors = [...new Set(text.updates.flatMap(({ actorIds }) => actorIds).reverse())];
    const written = content.eq(nodeOf(partOf(docOf(text.state)))) ? null : await formsOf(content, place);
    // Everybody who reads it must be able to write it back. What was typed stays in the text until it is short enough.
    if (written && written.size > Math.max(MOST_MARKDOWN, now.size)) refuse("document_too_large");
    const state = Y.encodeStateAsUpdate(live);
    await writing(database, place, async (tx) => {
      const changes = written !== null && authors.length > 0 && !kind.says(now.text, written);
      const tag = changes ? await kind.write(tx, place, now, written, authors) : now.tag;
      const moved = tag !== null && (await moveState(tx, place, text, { state, seq: text.lastSeq, sealedAs: tag }));
      if (!moved) throw new Overtaken();
    });
  }

  /** One at a time in this process: whoever asks meanwhile asks for what comes after, and waits for one more. */
  const running = new Map<string, { now: Promise<void>; next: Promise<void> | null }>();
  function inTurn(place: Place, sealing: boolean): Promise<void> {
    const key = `${place.targetId} ${sealing}`;
    const turn = running.get(key);
    if (turn) {
      turn.next ??= turn.now.then(
        () => inTurn(place, sealing),
        () => inTurn(place, sealing),
      );
      return turn.next;
    }
    const now = tried(place, sealing).finally(() => running.delete(key));
    running.set(key, { now, next: null });
    return now;
  }
  async function tried(place: Place, sealing: boolean): Promise<void> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(place, sealing);
      } catch (error) {
        const overtaken = error instanceof Overtaken;
        if (!(overtaken || isPassing(error)) || attempts === MOST_ATTEMPTS) throw error;
        await sleep((overtaken ? 5 : 50) * attempts);
      }
    }
  }
  return { seal: (place) => inTurn(place, true), takeIn: (place) => inTurn(place, false) };
}

interface Found {
  kind: Target;
  now: NonNullable<Awaited<ReturnType<Target["read"]>>>;
}
/** The database was out of reach, or had no time: nothing was left behind, and it is over sooner or later. */
export const isPassing = (error: unknown) =>
  isUnavailable(error) || (error instanceof Refusal && error.code === "overloaded");
/** Its Markdown is past the limit: the text stays as it is, and a checkpoint is made once it is short enough. */
export const isTooLarge = (error: unknown) => error instanceof Refusal && error.code === "document_too_large";
