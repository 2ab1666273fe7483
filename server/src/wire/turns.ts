// Begins a few requests in each turn of the event loop. A crowd whose requests arrive at once would else be worked off in one go, and until
// its last one nobody else would be answered, not even /healthz.
const AT_A_TIME = 16;

export function turns(atATime = AT_A_TIME): (begin: () => void) => void {
  let begun = 0;
  let waiting: (() => void)[] = [];
  const turn = () => {
    const now = waiting.slice(0, atATime);
    waiting = waiting.slice(atATime);
    begun = now.length;
    if (begun > 0) setImmediate(turn);
    for (const begin of now) begin();
  };
  return (begin) => {
    if (begun >= atATime) return void waiting.push(begin);
    if (begun++ === 0) setImmediate(turn);
    begin();
  };
}
