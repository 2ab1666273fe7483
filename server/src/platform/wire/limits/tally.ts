// Counts by name, such as the sockets of a person or a Workspace. Names with a count of zero are removed.
export class Tally {
  private readonly counts = new Map<string, number>();
  of = (name: string) => this.counts.get(name) ?? 0;
  add(name: string, by: 1 | -1) {
    const count = this.of(name) + by;
    if (count === 0) this.counts.delete(name);
    else this.counts.set(name, count);
  }
  sum() {
    let sum = 0;
    for (const count of this.counts.values()) sum += count;
    return sum;
  }
}
