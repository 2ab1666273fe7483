// Rate limit of one socket: frames and bytes per second, with a burst. Stores numbers and no timer, because there are
// thousands of sockets.
export interface AllowanceRate {
  second: number;
  most: number;
}
export interface Allowance {
  frames: AllowanceRate;
  bytes: AllowanceRate;
}
/** Remaining allowance at a point in time. */
export interface RemainingAllowance {
  frames: number;
  bytes: number;
  at: number;
}

export const full = ({ frames, bytes }: Allowance): RemainingAllowance => ({
  frames: frames.most,
  bytes: bytes.most,
  at: performance.now(),
});

/** Spends one frame of `size` bytes; returns whether the allowance covers it. */
export function spend(
  left: RemainingAllowance,
  { frames, bytes }: Allowance,
  size: number,
  now = performance.now(),
): boolean {
  const seconds = (now - left.at) / 1000;
  left.at = now;
  left.frames = Math.min(frames.most, left.frames + seconds * frames.second) - 1;
  left.bytes = Math.min(bytes.most, left.bytes + seconds * bytes.second) - size;
  return left.frames >= 0 && left.bytes >= 0;
}
