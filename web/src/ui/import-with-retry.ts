// Imports a chunk that the page can do without until it arrives, and retries while offline. Some browsers, Chromium 153
// among them, never request a module again after a failure, so each retry uses a different URL.
const RETRY_MS = 5000;

/** URL of the chunk, which Chromium and Firefox include in the error message. */
const addressIn = (error: unknown) =>
  String(error)
    .split(" ")
    .find((word) => word.startsWith(location.origin) && word.endsWith(".js"));

export async function importWithRetry<File>(load: () => Promise<File>): Promise<File> {
  let attempt = load;
  for (let retry = 1; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      const address = addressIn(error);
      if (address) attempt = () => import(/* @vite-ignore */ `${address}?retry=${retry}`);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
