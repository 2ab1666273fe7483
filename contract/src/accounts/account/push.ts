// Push endpoints of an account: the browser of a session and the device of a native client.
import Type from "typebox";
import { M, op, S } from "../../kit.ts";
import { object } from "../../types.ts";

export const getBrowserPushConfig = op(
  "GET /me/push-endpoints/browser/config",
  "Read the key that a browser subscribes with",
  {
    description:
      "Returns the public key (VAPID, RFC 8292) for `applicationServerKey` of `PushManager.subscribe`. " +
      "Subscribe again when the key has changed.",
    auth: [S],
    returns: object({
      public_key: Type.String({
        minLength: 87,
        maxLength: 87,
        description: "P-256 point, uncompressed, as base64url.",
      }),
    }),
  },
);

export const replaceBrowserPushEndpoint = op(
  "PUT /me/push-endpoints/browser",
  "Push notifications to this session's browser",
  {
    description:
      "Takes `endpoint` and `keys` of the browser's push subscription (W3C Push API). " +
      "A session has one subscription, which ends with the session; a subscription belongs to the session that " +
      "sent it last. Messages are encrypted for the browser (RFC 8291), and the first one confirms that push " +
      "works. An account has at most 20 browsers and devices.",
    auth: [S],
    body: object({
      endpoint: Type.String({
        format: "line",
        minLength: 1,
        maxLength: 2048,
        description: "An https URL of a push service on the public Internet.",
      }),
      keys: object({
        p256dh: Type.String({
          pattern: "^[\\w-]{87}$",
          maxLength: 87,
          description: "P-256 point, 65 bytes, as base64url.",
        }),
        auth: Type.String({ pattern: "^[\\w-]{22}$", maxLength: 22, description: "16 bytes as base64url." }),
      }),
    }),
    example: {
      endpoint: "https://push.example.com/wpush/v2/gAAAAABn",
      keys: {
        p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg",
      },
    },
    errors: ["limit_reached"],
  },
);

export const deleteBrowserPushEndpoint = op(
  "DELETE /me/push-endpoints/browser",
  "Stop pushing to this session's browser",
  { description: "Repeating it also returns 204.", auth: [S] },
);

export const replacePushDevice = op(
  "PUT /me/mobile-credentials/current/push-device",
  "Push notifications to this device",
  {
    description:
      "Takes the token that the platform's push service issued to the application on this device. " +
      "A credential has one device token, which ends with the credential; a token belongs to the credential " +
      "that sent it last. An account has at most 20 browsers and devices.",
    auth: [M],
    body: object({
      platform: Type.Enum(["ios", "android"]),
      token: Type.String({ minLength: 16, maxLength: 1024, pattern: "^[\\x21-\\x7e]+$" }),
    }),
    example: { platform: "android", token: "dGhlLWRldmljZQ:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx" },
    errors: ["limit_reached"],
  },
);

export const deletePushDevice = op("DELETE /me/mobile-credentials/current/push-device", "Stop pushing to this device", {
  description: "Repeating it also returns 204.",
  auth: [M],
});
