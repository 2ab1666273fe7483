// Packs the client as a file that `npm install` takes: `npm run pack:client`.
import { packClient } from "../client/build/pack.ts";

console.log(await packClient(process.argv[2] ?? "client/dist"));
