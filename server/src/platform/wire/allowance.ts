// What one socket may send: so many frames and bytes a second, and as many at once. Numbers and no timer, because there are thousands of them.
export interface Rate {
  second: number;
  most: number;
}
export interface Allowance {
  frames: Rate;
  bytes: Rate;
}
/** What is left, and when that was. */
export interface Left {
  frames: number;
  bytes: number;
  at: number;
}

export const full = ({ frames, bytes }: Allowance): Left => ({
  frames: frames.most,
  bytes: bytes.most,
  at: performance.now(),
});

/** Whether one more frame of so many bytes is within it. */
export function spend(left: Left, { frames, bytes }: Allowance, size: number, now = performance.now()): boolean {
  const seconds = (now - left.at) / 1000;
  left.at = now;
  left.frames = Math.min(frames.most, left.frames + seconds * frames.second) - 1;
  left.bytes = Math.min(bytes.most, left.bytes + seconds * bytes.second) - size;
  return left.frames >= 0 && left.bytes >= 0;
}
