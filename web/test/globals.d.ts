// The tests of the pages start the real service, whose code is checked here beside the browser's types: what Node adds
// to a global of both.
interface Performance {
  eventLoopUtilization: typeof import("node:perf_hooks")["performance"]["eventLoopUtilization"];
}
