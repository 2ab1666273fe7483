// Packs the command line as a file that `npm install -g` takes: `npm run pack:cli`.
import { packCli } from "../cli/build/pack.ts";

console.log(await packCli(process.argv[2] ?? "cli/dist"));
