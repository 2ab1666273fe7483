// Reactions to a comment with their counts; the member's own appear pressed. The service uses names, displayed here as
// emoji.
import { t, tn } from "../../../messages/t.ts";
import { useReplica } from "../../../store/react.ts";
import type { Comment } from "../../../store/rows.ts";
import { focused } from "../../../ui/controls.tsx";
import { Icon } from "../../../ui/icons.tsx";
import { Popover } from "../../../ui/overlays/popover.tsx";
import { toggleReaction } from "../actions.ts";

const signs = new Map([
  ["thumbsup", "👍"],
  ["heart", "❤️"],
  ["tada", "🎉"],
  ["rocket", "🚀"],
  ["eyes", "👀"],
  ["smile", "😄"],
  ["thinking", "🤔"],
  ["thumbsdown", "👎"],
]);

export function Reactions({ comment, mayWrite }: { comment: Comment; mayWrite: boolean }) {
  const replica = useReplica();
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-1">
      {comment.reactions.map(({ reaction, count, reacted }) => (
        <button
          key={reaction}
          type="button"
          aria-pressed={reacted}
          disabled={!mayWrite}
          aria-label={tn("panel.reactions", count, { name: reaction })}
          title={tn("panel.reactions", count, { name: reaction })}
          onClick={() => toggleReaction(replica, comment, reaction)}
          className={`inline-flex h-6 cursor-pointer items-center gap-1 rounded-full border px-2 text-12 tabular-nums hover:bg-hover ${reacted ? "border-accent bg-note-wash" : "border-line"}`}
        >
          <span aria-hidden="true">{signs.get(reaction) ?? reaction}</span>
          {count}
        </button>
      ))}
      {mayWrite && (
        <Popover
          button={(props) => (
            <button
              type="button"
              {...props}
              aria-label={t("panel.react")}
              title={t("panel.react")}
              className="icon-btn size-6"
            >
              <Icon name="smile" />
            </button>
          )}
        >
          {(close) => (
            <div className="flex gap-0.5">
              {[...signs].map(([name, sign], at) => (
                <button
                  key={name}
                  type="button"
                  ref={at === 0 ? focused : undefined}
                  aria-label={name}
                  title={name}
                  onClick={() => {
                    toggleReaction(replica, comment, name);
                    close();
                  }}
                  className="size-8 cursor-pointer rounded-md text-16 hover:bg-hover focus-visible:bg-hover"
                >
                  {sign}
                </button>
              ))}
            </div>
          )}
        </Popover>
      )}
    </div>
  );
}
