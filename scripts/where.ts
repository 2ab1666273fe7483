// npm run where <url|name|code>: prints the lines that declare, implement and test an operation, or that declare, throw
// and test an error code (lines-of.ts finds them).
import { linesOf } from "./lines-of.ts";

const asked = process.argv.slice(2).join(" ").trim();
const found = linesOf(asked);
if (found.length > 0) console.log(found.join("\n"));
else
  console.error(
    `nothing is called ${JSON.stringify(asked)}: give the name of an operation, its address or an error code`,
  );
process.exitCode = found.length > 0 ? 0 : 1;
