// Web Push for this browser: it subscribes with the service's VAPID key, and the service stores the subscription.
import type { Client } from "@svc/client";

/** Null if the browser does not support push or has no service worker. */
export async function isPushed(): Promise<boolean | null> {
  if (!("serviceWorker" in navigator) || !("PushManager" in globalThis)) return null;
  const registration = await navigator.serviceWorker.getRegistration();
  if (!registration) return null;
  return (await registration.pushManager.getSubscription()) !== null;
}

export async function pushHere(api: Client) {
  if ((await Notification.requestPermission()) !== "granted") throw refusal("push_denied");
  const { public_key } = await api.getBrowserPushConfig();
  const registration = await navigator.serviceWorker.ready;
  const subscription = await registration.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: public_key })
    .catch(() => {
      throw refusal("push_unavailable");
    });
  const { endpoint, keys } = subscription.toJSON();
  await api.replaceBrowserPushEndpoint({
    endpoint: endpoint as string,
    keys: { p256dh: keys?.p256dh as string, auth: keys?.auth as string },
  });
}
export async function stopPush(api: Client) {
  const registration = await navigator.serviceWorker.ready;
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  await api.deleteBrowserPushEndpoint();
}
/** Error in the shape of a rejection by the service. */
const refusal = (code: string) => Object.assign(new Error(code), { code });
