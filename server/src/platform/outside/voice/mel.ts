// Converts audio to the input of the recognition model: thirty seconds as 3,000 frames of 80 bands on Slaney's mel
// scale, as logarithms. Pure.
import { HEARD_RATE } from "./utterances.ts";

export const MOMENTS = 3000;
export const BANDS = 80;
const [WINDOW, STEP] = [400, 160];
const BINS = WINDOW / 2 + 1;

const mel = (hertz: number) => (hertz < 1000 ? hertz / (200 / 3) : 15 + Math.log(hertz / 1000) / (Math.log(6.4) / 27));
const hertz = (of: number) => (of < 15 ? of * (200 / 3) : 1000 * Math.exp((Math.log(6.4) / 27) * (of - 15)));

const shape = Float64Array.from({ length: WINDOW }, (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / WINDOW));
const turn = (of: (angle: number) => number) =>
  Float64Array.from({ length: WINDOW }, (_, at) => of((2 * Math.PI * at) / WINDOW));
const [COS, SIN] = [turn(Math.cos), turn(Math.sin)];

/** Weight of each frequency bin in each band. */
const bands = (() => {
  const top = mel(HEARD_RATE / 2);
  const edges = Array.from({ length: BANDS + 2 }, (_, at) => hertz((top * at) / (BANDS + 1)));
  return Array.from({ length: BANDS }, (_, band) => {
    const [low, middle, high] = edges.slice(band, band + 3) as [number, number, number];
    return Float64Array.from({ length: BINS }, (_, bin) => {
      const at = (bin * HEARD_RATE) / WINDOW;
      const share = Math.min((at - low) / (middle - low), (high - at) / (high - middle));
      return (Math.max(0, share) * 2) / (high - low);
    });
  });
})();

/** Extends the sound at its start by its mirror image, and at its end by silence. */
function sampleAt(samples: Float32Array, at: number): number {
  const mirrored = at < 0 ? -at : at;
  return mirrored < samples.length ? (samples[mirrored] as number) : 0;
}

function powers(samples: Float32Array, moment: number): Float64Array {
  const framed = Float64Array.from(
    { length: WINDOW },
    (_, at) => sampleAt(samples, moment * STEP + at - WINDOW / 2) * (shape[at] as number),
  );
  return Float64Array.from({ length: BINS }, (_, bin) => {
    let [real, imaginary] = [0, 0];
    for (let at = 0, angle = 0; at < WINDOW; at++, angle = (angle + bin) % WINDOW) {
      real += (framed[at] as number) * (COS[angle] as number);
      imaginary += (framed[at] as number) * (SIN[angle] as number);
    }
    return real * real + imaginary * imaginary;
  });
}

/** Values band by band, each with all its frames. */
export function melOf(samples: Float32Array): Float32Array {
  const SILENT = Math.log10(1e-10);
  const all = new Float32Array(BANDS * MOMENTS).fill(SILENT);
  const last = Math.min(MOMENTS, Math.ceil(samples.length / STEP) + 2);
  let loudest = SILENT;
  for (let moment = 0; moment < last; moment++) {
    const power = powers(samples, moment);
    for (const [band, shares] of bands.entries()) {
      let sum = 0;
      for (let bin = 0; bin < BINS; bin++) sum += (power[bin] as number) * (shares[bin] as number);
      const value = Math.log10(Math.max(sum, 1e-10));
      all[band * MOMENTS + moment] = value;
      loudest = Math.max(loudest, value);
    }
  }
  return all.map((value) => (Math.max(value, loudest - 8) + 4) / 4);
}
