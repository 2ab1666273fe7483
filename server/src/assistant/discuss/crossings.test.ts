// No word of what a person cannot read reaches them through search, Knowledge or a conversation. crossings.slow.test.ts
// asks ten times as much.
import { ASKED, SUBJECTS, testCrossings } from "../../../test/crossings.ts";

const subjects = SUBJECTS.slice(0, 4);
const ask = (at: number) => `${ASKED[at]} ${subjects[at % subjects.length]}?`;
await testCrossings({
  subjects,
  questions: ASKED.map((_, at) => ask(at)),
  said: [ask(0), ask(1)],
  every: 4,
});
