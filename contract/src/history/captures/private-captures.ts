// Declarations that a member's private captures share: evidence, result sets, selections and saved views are accessible
// to their owner alone, whatever anyone's role. A version is immutable; a change creates the next version.
import Type from "typebox";
import { S } from "../../kit.ts";
import { nullable, object } from "../../types.ts";

export const reading = { auth: [S], private: true } as const;
export const writing = {
  ...reading,
  idempotencyKey: "required",
  quiet: "It is private to its maker: nobody is told, and nothing follows from it.",
} as const;

/** Description shared by every operation that creates a private capture. */
export const FOR_EVERY_ROLE =
  "Every member may, viewers too: it is private to you, and nothing of the Workspace changes by it.";

export const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647, examples: [1] });
export const atVersion = { version: { ...Version, description: "Exactly this one, whichever is the latest." } };
export const AtVersion = object(atVersion);

/** Version fields of a capture. */
export const versioned = {
  version: Version,
  latest_version: { ...Version, description: "The next one is made from this one alone." },
};
/** Fields of a page by offset, in addition to its items. */
export const paged = {
  offset: Type.Integer({ minimum: 0, examples: [0] }),
  count: Type.Integer({ minimum: 0, description: "On all pages together." }),
  next_offset: {
    ...nullable(Type.Integer({ minimum: 1 })),
    description: "Where the next page begins; null: this is the last one.",
    examples: [null],
  },
};
