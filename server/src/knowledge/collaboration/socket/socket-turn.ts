// Budget of time that all collaboration sockets share in one turn of the event loop: other requests wait for it once,
// not once per socket. When it is spent, the remaining work continues in later turns, first come, first served.
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
  /** Calls `work` in a later turn. It must end, or call `later` again, once the turn is spent. */
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
