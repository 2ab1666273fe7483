// Splits microphone audio into utterances by comparing its loudness with the background noise, without a model. Pure
// except for its own state.

/** Sample rate in hertz of incoming audio, as the recognition model requires. */
export const HEARD_RATE = 16_000;
const FRAME = HEARD_RATE / 50;
const ms = (of: number) => Math.round((of / 1000) * HEARD_RATE);
/** Audio retained before the first loud moment, and silence that ends an utterance. */
const BEFORE = ms(300);
const AFTER = ms(700);
const SHORTEST = ms(250);
/** The recognition model processes 30 seconds at a time. */
const LONGEST = ms(28_000);
const QUIETEST = 0.008;
const OVER_NOISE = 3;

const loudness = (frame: Float32Array) => Math.sqrt(frame.reduce((sum, each) => sum + each * each, 0) / frame.length);

export interface Heard {
  began(): void;
  /** Called with the complete utterance. */
  said(samples: Float32Array): void;
}

export function utterances({ began, said }: Heard): (samples: Float32Array) => void {
  let rest = new Float32Array(0);
  let noise = QUIETEST;
  let kept: Float32Array[] = [];
  let keptLength = 0;
  let [loud, silent, speaking] = [0, 0, false];

  const keep = (frame: Float32Array) => {
    kept.push(frame);
    keptLength += frame.length;
    while (!speaking && keptLength > BEFORE) keptLength -= (kept.shift() as Float32Array).length;
  };
  const end = () => {
    const all = new Float32Array(keptLength);
    let at = 0;
    for (const frame of kept) {
      all.set(frame, at);
      at += frame.length;
    }
    const whole = loud >= SHORTEST;
    [kept, keptLength, loud, silent, speaking] = [[], 0, 0, 0, false];
    if (whole) said(all);
  };
  const hear = (frame: Float32Array) => {
    const level = loudness(frame);
    const isLoud = level > Math.max(QUIETEST, noise * OVER_NOISE);
    if (!isLoud) noise = noise * 0.95 + level * 0.05;
    keep(frame);
    if (!speaking) {
      loud = isLoud ? loud + frame.length : 0;
      if (loud < 3 * FRAME) return;
      speaking = true;
      began();
      return;
    }
    if (isLoud) loud += frame.length;
    silent = isLoud ? 0 : silent + frame.length;
    if (silent >= AFTER || keptLength >= LONGEST) end();
  };

  return (samples) => {
    const all = new Float32Array(rest.length + samples.length);
    all.set(rest);
    all.set(samples, rest.length);
    let at = 0;
    for (; at + FRAME <= all.length; at += FRAME) hear(all.slice(at, at + FRAME));
    rest = all.slice(at);
  };
}
