// Capabilities of every resource in each of its states: every word, as owner, member and viewer. capabilities.test.ts
// tries a covering set.
import { capabilityCases } from "./capability-cases.ts";

capabilityCases().testWords();
