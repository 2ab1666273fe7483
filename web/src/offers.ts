// What this service offers for signing in. The service writes it into the page, so that nothing appears late or moves.
export type Provider = "google" | "microsoft" | "apple";

export interface Offers {
  /** The configured ones. */
  providers: Provider[];
  passkeys: boolean;
  /** Mail is not sent: it waits in an outbox that a browser on the same machine can read. */
  outbox: boolean;
}

const written = document.getElementById("offers")?.textContent || "{}";
export const offers: Offers = { providers: [], passkeys: false, outbox: false, ...JSON.parse(written) };
