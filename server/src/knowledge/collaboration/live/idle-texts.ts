// Caches decoded texts for a short time after their last editor left. The cache is bounded in number, memory and time;
// the Workspace with the largest share loses its oldest text first. An idle text receives no updates, so its owner
// compares it with the database before reuse.
import { type Text, weightOf } from "./live-text.ts";

export interface IdleLimits {
  texts: number;
  /** Estimated memory of all idle texts. */
  bytes: number;
  ms: number;
}
export const IDLE: IdleLimits = { texts: 128, bytes: 128 * 1024 * 1024, ms: 30_000 };

interface Idle<T> {
  entry: T;
  workspaceId: string;
  bytes: number;
  expiry: NodeJS.Timeout;
}

export class IdleTexts<T extends { text: Text }> {
  private readonly limits: IdleLimits;
  /** Idle texts by target id, oldest first. */
  private readonly idle = new Map<string, Idle<T>>();

  constructor(limits: IdleLimits) {
    this.limits = limits;
  }

  count = () => this.idle.size;

  add(entry: T): void {
    const { targetId, workspaceId } = entry.text.place;
    this.take(targetId);
    entry.text.rest();
    const expiry = setTimeout(() => this.take(targetId), this.limits.ms);
    expiry.unref();
    this.idle.set(targetId, { entry, workspaceId, bytes: weightOf(entry.text), expiry });
    this.evict();
  }
  /** Removes the text and returns it. */
  take(targetId: string): T | undefined {
    const found = this.idle.get(targetId);
    clearTimeout(found?.expiry);
    this.idle.delete(targetId);
    return found?.entry;
  }
  clear(): void {
    for (const targetId of [...this.idle.keys()]) this.take(targetId);
  }

  private evict(): void {
    for (;;) {
      const bytes = [...this.idle.values()].reduce((sum, each) => sum + each.bytes, 0);
      if (this.idle.size <= this.limits.texts && bytes <= this.limits.bytes) return;
      this.take(this.oldestOfLargestShare());
    }
  }
  /** If two Workspaces have equal shares, picks the one whose oldest text is newer. */
  private oldestOfLargestShare(): string {
    const held = new Map<string, { texts: number; bytes: number; oldest: string }>();
    for (const [targetId, { workspaceId, bytes }] of this.idle) {
      const known = held.get(workspaceId) ?? { texts: 0, bytes: 0, oldest: targetId };
      held.set(workspaceId, { ...known, texts: known.texts + 1, bytes: known.bytes + bytes });
    }
    let [largest, oldest] = [0, ""];
    for (const of of held.values()) {
      const share = Math.max(of.texts / this.limits.texts, of.bytes / this.limits.bytes);
      if (share >= largest) [largest, oldest] = [share, of.oldest];
    }
    return oldest;
  }
}
