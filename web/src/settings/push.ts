// Notifications to this browser, with the push that the service has: the browser subscribes with the service's key, and the service keeps where to.
import type { Client } from "@svc/client";

/** Null where the browser has no push, or keeps no worker. */
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
/** Told like a refusal of the service. */
const refusal = (code: string) => Object.assign(new Error(code), { code });
