// Builds the Content-Disposition of a stored object (RFC 6266): displayed inline, or saved under a name with any
// characters.

export function contentDisposition(filename: string | undefined): string {
  if (filename === undefined) return "inline";
  // Characters that change the reading direction would disguise the file extension.
  const clean = [...filename.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]/gu, "_")]
    .slice(0, 255)
    .join("");
  // Fallback for old clients; all others read filename*.
  const plain = clean.replace(/[^\x20-\x7e]|["%]/g, "_");
  const encoded = encodeURIComponent(clean).replace(/['()*!]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
