// A vitest reporter: stores the duration of each passed test file, its tests and hooks, in test-durations.json.
import { storeDurations } from "./test-durations.mjs";

export class DurationsReporter {
  onTestRunEnd(modules) {
    const passed = modules.filter((module) => module.ok());
    storeDurations(Object.fromEntries(passed.map((module) => [module.relativeModuleId, module.diagnostic().duration])));
  }
}
