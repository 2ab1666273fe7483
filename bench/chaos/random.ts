// Seeded random numbers: the seed reproduces the choices of a run, but not the interleaving of processes.

/** Numbers in [0, 1) from a seed and a name (mulberry32 over an FNV-1a hash). */
export function randomOf(seed: number, name: string): () => number {
  let state = seed >>> 0;
  for (const character of name) state = Math.imul(state ^ character.charCodeAt(0), 16777619) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
