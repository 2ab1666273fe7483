// The scale of a chart axis. Pure.

/** Round axis ticks from 0 to at least `most`, in four or five steps; integers if `most` is small. */
export function niceTicks(most: number): number[] {
  const rough = Math.max(1, most) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough);
  const whole = step < 10 ? Math.ceil(step) : step;
  return Array.from({ length: Math.ceil(most / whole) + 1 }, (_, at) => at * whole);
}
