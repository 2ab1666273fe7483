// What all sockets of co-editing together may take of one turn of the event loop, so that everybody else's requests wait
// for one slice and not for one of each socket. Work that finds the turn spent continues in a later one, in the order in
// which it came.
const MOST_MS = 2;

export class SocketTurn {
  private used = 0;
  private ending = false;
  private readonly waiting: (() => void)[] = [];

  get isSpent(): boolean {
    return this.used >= MOST_MS;
  }
  charge(ms: number): void {
    this.used += ms;
    this.endLater();
  }
  /** Calls `work` in a later turn. It ends, or calls `later` again, once the turn is spent. */
  later(work: () => void): void {
    this.waiting.push(work);
    this.endLater();
  }
  private endLater() {
    if (this.ending) return;
    this.ending = true;
    setImmediate(() => {
      this.ending = false;
      this.used = 0;
      for (let left = this.waiting.length; left > 0 && !this.isSpent; left--) this.waiting.shift()?.();
      if (this.waiting.length > 0) this.endLater();
    });
  }
}
