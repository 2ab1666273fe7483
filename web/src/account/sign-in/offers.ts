// Sign-in methods of this installation. The service embeds them in the page, so that nothing appears late or shifts the
// layout.
export type SignInProvider = "google" | "microsoft" | "apple";

export interface Offers {
  /** Only the configured providers. */
  providers: SignInProvider[];
  passkeys: boolean;
  /** True if mail is not sent but stored in an outbox that a browser on the same machine can read. */
  outbox: boolean;
}

const written = document.getElementById("offers")?.textContent || "{}";
export const offers: Offers = { providers: [], passkeys: false, outbox: false, ...JSON.parse(written) };
