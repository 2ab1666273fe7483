// Synchronizes a live text with its Task or Document. A checkpoint (seal) stores the live text as a revision; a merge
// (takeIn) turns what a request wrote into a change of the live text. Both read only the database, compute outside of a
// transaction, and commit by compare-and-set: any process may run either for any text, whether it is edited there or
// not.
import { setTimeout as sleep } from "node:timers/promises";
import { MOST_MARKDOWN } from "@svc/contract/types.ts";
import * as Y from "yjs";
import type { Database } from "../../platform/database/db.ts";
import { isUnavailable } from "../../platform/database/translate-error.ts";
import { Refusal, refuse } from "../../platform/wire/problem.ts";
import { difference } from "./merge.ts";
import { append, moveState, reading, readText, type StoredText, type TextPlace, writing } from "./store.ts";
import { formsOf, type TargetAdapter, targets } from "./targets.ts";
import { docOf, nodeOf, partOf } from "./yjs/rich-text.ts";

/** Lost the compare-and-set; retry. */
class Overtaken extends Error {}
const MOST_ATTEMPTS = 8;

export interface Sealer {
  /** Checkpoints the live text as a revision, after merging what requests wrote. */
  seal(place: TextPlace): Promise<void>;
  /** Merges what requests wrote, without a checkpoint. */
  takeIn(place: TextPlace): Promise<void>;
}

export function sealer(database: Database): Sealer {
  async function attempt(place: TextPlace, sealing: boolean): Promise<void> {
    const [text, target] = await readBoth(place);
    if (!text || !target) return;
    if (target.now.tag !== text.sealedAs) {
      await takeInto(place, text, target);
      return sealing ? attempt(place, sealing) : undefined;
    }
    if (sealing && text.lastSeq > text.stateSeq) await writeDown(place, text, target);
  }

  const readBoth = (place: TextPlace) =>
    reading(database, place, async (tx) => {
      const text = await readText(tx, place);
      if (!text) return [undefined, undefined] as const;
      const kind = targets[text.kind];
      const now = await kind.read(tx, place);
      return [text, now && { kind, now }] as const;
    });

  async function takeInto(place: TextPlace, text: StoredText, { kind, now }: Found): Promise<void> {
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

  async function writeDown(place: TextPlace, text: StoredText, { kind, now }: Found): Promise<void> {
    const live = docOf(text.state, ...text.updates.map(({ data }) => data));
    const content = nodeOf(partOf(live));
    const authors = [...new Set(text.updates.flatMap(({ actorIds }) => actorIds).reverse())];
    const written = content.eq(nodeOf(partOf(docOf(text.state)))) ? null : await formsOf(content, place);
    // Readers must be able to write the content back. Until it is short enough, the typed text stays only in the live
    // text.
    if (written && written.size > Math.max(MOST_MARKDOWN, now.size)) refuse("document_too_large");
    const state = Y.encodeStateAsUpdate(live);
    await writing(database, place, async (tx) => {
      const changes = written !== null && authors.length > 0 && !kind.says(now.text, written);
      const tag = changes ? await kind.write(tx, place, now, written, authors) : now.tag;
      const moved = tag !== null && (await moveState(tx, place, text, { state, seq: text.lastSeq, sealedAs: tag }));
      if (!moved) throw new Overtaken();
    });
  }

  /**
   * Runs one at a time per text in this process. Callers during a run share one following run, which covers their
   * changes.
   */
  const running = new Map<string, { now: Promise<void>; next: Promise<void> | null }>();
  function inTurn(place: TextPlace, sealing: boolean): Promise<void> {
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
  async function tried(place: TextPlace, sealing: boolean): Promise<void> {
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
  kind: TargetAdapter;
  now: NonNullable<Awaited<ReturnType<TargetAdapter["read"]>>>;
}
/** The database was unreachable or overloaded: nothing was committed, and a retry will succeed sooner or later. */
export const isPassing = (error: unknown) =>
  isUnavailable(error) || (error instanceof Refusal && error.code === "overloaded");
/**
 * The Markdown exceeds its limit: the live text stays as it is, and the checkpoint succeeds once it is short enough.
 */
export const isTooLarge = (error: unknown) => error instanceof Refusal && error.code === "document_too_large";
