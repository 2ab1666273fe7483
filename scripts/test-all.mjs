// npm run test:all: the second tier of tests, on top of npm test. Takes the same arguments.
process.argv.splice(2, 0, "--slow");
await import("./test.mjs");
