// Declarations that a member's private captures share: evidence, result sets, selections and saved views are accessible
// to their owner alone, whatever anyone's role. A version is immutable; a change creates the next version.
import Type from "typebox";
import { S } from "../../kit.ts";
import { nullable, object } from "../../types.ts";

export const reading = { auth: [S], private: true } as const;
export const writing = {
  ...reading,
  idempotencyKey: "required",
  quiet: "It is private to its creator: nobody is notified, and nothing follows from it.",
} as const;

/** Description shared by every operation that creates a private capture. */
export const FOR_EVERY_ROLE =
  "Every member may do this, viewers too: the result is private to you, and nothing else in the " +
  "Workspace changes.";

export const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647, examples: [1] });
export const atVersion = { version: { ...Version, description: "Exact version, whether or not it is the latest." } };
export const AtVersion = object(atVersion);

/** Version fields of a capture. */
export const versioned = {
  version: Version,
  latest_version: { ...Version, description: "Latest version, the only one that the next version can be made from." },
};
/** Fields of a page by offset, in addition to its items. */
export const paged = {
  offset: Type.Integer({ minimum: 0, examples: [0] }),
  count: Type.Integer({ minimum: 0, description: "Number of items on all pages." }),
  next_offset: {
    ...nullable(Type.Integer({ minimum: 1 })),
    description: "Offset of the next page; null: this is the last one.",
    examples: [null],
  },
};
