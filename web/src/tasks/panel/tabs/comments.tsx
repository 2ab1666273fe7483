// Comments of a Task, the oldest first, and the composer. A deleted comment leaves a placeholder.
import { useRef, useState } from "react";
import { Markdown } from "../../../editor/markdown.tsx";
import { type FieldHandle, MarkdownField } from "../../../editor/markdown-field.tsx";
import { t } from "../../../messages/t.ts";
import { useHome } from "../../../store/current-member.ts";
import { useGroup, useReplica, useRow } from "../../../store/react.ts";
import type { Comment, Task } from "../../../store/rows.ts";
import { Avatar, Button, Empty } from "../../../ui/controls.tsx";
import { momentText } from "../../../ui/formats/dates.ts";
import { Icon } from "../../../ui/icons.tsx";
import { Menu } from "../../../ui/overlays/menu.tsx";
import { Unsent } from "../../board/card.tsx";
import { deleteComment, editComment, comment as send } from "../actions.ts";
import { ofTask } from "../load.ts";
import { useMayChange } from "../use-may-change.ts";
import { Reactions } from "./reactions.tsx";

export function Comments({ task, loaded }: { task: Task; loaded: boolean }) {
  const replica = useReplica();
  const mayWrite = useMayChange(task);
  const { ids } = useGroup("comment", ofTask.comment, replica.store.real(task.id));
  return (
    <>
      {ids.length === 0 && loaded && <Empty title={t("panel.noComments")} />}
      <ul className="space-y-4">
        {ids.map((id) => (
          <Said key={id} id={id} mayWrite={mayWrite} />
        ))}
      </ul>
      {mayWrite && <Composer task={task} />}
    </>
  );
}

function Said({ id, mayWrite }: { id: string; mayWrite: boolean }) {
  const replica = useReplica();
  const comment = useRow("comment", id);
  const author = useRow("person", comment?.author_actor_id);
  const home = useHome();
  const [editing, setEditing] = useState(false);
  if (!comment) return null;
  const { created_at, updated_at, deleted_at, revision } = comment;
  const isMine = comment.author_actor_id === replica.member.actorId;
  const moment = momentText(created_at, home?.locale, home?.timezone);
  if (deleted_at)
    return (
      <li data-comment={id} className="text-12 text-soft">
        {t("panel.commentDeleted", { name: author?.display_name ?? "" })}
      </li>
    );
  return (
    <li data-comment={id} className="flex gap-2.5">
      <Avatar person={author ?? { id: comment.author_actor_id, display_name: null }} size={24} />
      <div className="min-w-0 flex-1">
        <div className="flex h-6 items-center gap-2">
          <span className="truncate font-medium">{author?.display_name}</span>
          <time dateTime={created_at} className="shrink-0 text-12 text-soft">
            {moment}
          </time>
          {revision !== "1" && revision !== "0" && (
            <span title={momentText(updated_at, home?.locale, home?.timezone)} className="text-12 text-soft">
              {t("panel.edited")}
            </span>
          )}
          <Unsent id={id} />
          <span className="flex-1" />
          {isMine && mayWrite && (
            <Menu
              label={t("panel.commentMenu", { when: moment })}
              className="icon-btn"
              isPicture
              groups={[
                {
                  items: [
                    { label: t("panel.editComment"), run: () => setEditing(true) },
                    {
                      label: t("panel.deleteComment"),
                      icon: "trash",
                      run: () => confirm(t("panel.deleteCommentSure")) && deleteComment(replica, comment),
                    },
                  ],
                },
              ]}
            >
              <Icon name="more" />
            </Menu>
          )}
        </div>
        {editing ? <Editing comment={comment} close={() => setEditing(false)} /> : <Markdown text={comment.markdown} />}
        <Reactions comment={comment} mayWrite={mayWrite} />
      </div>
    </li>
  );
}

function Editing({ comment, close }: { comment: Comment; close: () => void }) {
  const replica = useReplica();
  const field = useRef<FieldHandle>(null);
  function save() {
    const text = field.current?.text().trim() ?? "";
    if (text !== "" && text !== comment.markdown) editComment(replica, comment, text);
    leave();
  }
  function leave() {
    field.current?.clear();
    close();
  }
  return (
    <div className="rounded-lg border border-edge p-2">
      <MarkdownField
        handle={field}
        label={t("panel.editComment")}
        draft={`draft:comment:${comment.id}`}
        begin={comment.markdown}
        maxLength={65_536}
        autoFocus
        send={save}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape") leave();
        }}
      />
      <div className="mt-2 flex justify-end gap-2">
        <Button onClick={leave}>{t("ui.cancel")}</Button>
        <Button look="first" onClick={save}>
          {t("panel.saveComment")}
        </Button>
      </div>
    </div>
  );
}

function Composer({ task }: { task: Task }) {
  const replica = useReplica();
  const field = useRef<FieldHandle>(null);
  const me = useRow("person", replica.member.actorId);
  const [isEmpty, setIsEmpty] = useState(true);
  function post() {
    const text = field.current?.text().trim() ?? "";
    if (text === "") return field.current?.focus();
    send(replica, task.id, text);
    field.current?.clear();
    setIsEmpty(true);
  }
  return (
    <div className="mt-4 flex gap-2.5">
      <Avatar person={me} size={24} />
      <div className="min-w-0 flex-1 rounded-lg border border-line bg-card p-2 focus-within:border-edge">
        <MarkdownField
          handle={field}
          label={t("panel.comment")}
          placeholder={t("panel.commentHelp")}
          draft={`draft:comment:${replica.store.real(task.id)}`}
          maxLength={65_536}
          rows={2}
          typed={(text) => setIsEmpty(text.trim() === "")}
          send={post}
        />
        <div className="mt-1 flex items-center justify-between gap-2">
          <span className="text-11 text-soft">{t("panel.commentKeys")}</span>
          <Button look={isEmpty ? "plain" : "first"} onClick={post}>
            {t("panel.send")}
          </Button>
        </div>
      </div>
    </div>
  );
}
