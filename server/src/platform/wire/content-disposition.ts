// The Content-Disposition of a stored object (RFC 6266): shown in place, or saved under a name that may hold any character.

export function contentDisposition(filename: string | undefined): string {
  if (filename === undefined) return "inline";
  // Characters that turn the direction of reading would make one ending look like another.
  const clean = [...filename.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]/gu, "_")]
    .slice(0, 255)
    .join("");
  // What an old client understands; everything else reads the second form.
  const plain = clean.replace(/[^\x20-\x7e]|["%]/g, "_");
  const encoded = encodeURIComponent(clean).replace(/['()*!]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
