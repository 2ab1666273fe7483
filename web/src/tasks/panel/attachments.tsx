// Attachments of a Task: files with previews of images, and uploads with their progress.
import { useRef } from "react";
import { save, usePreview } from "../../editor/attachments.tsx";
import { type Upload, upload, useUploads } from "../../editor/uploads.ts";
import { t, why } from "../../messages/t.ts";
import { useHome } from "../../store/current-member.ts";
import { useGroup, useReplica } from "../../store/react.ts";
import type { Attachment, Task } from "../../store/rows.ts";
import { Button, IconButton } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import { deleteFile } from "./actions.ts";
import { ofTask } from "./load.ts";
import { Section } from "./section.tsx";
import { useMayChange } from "./use-may-change.ts";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
/** Formats a size, such as "48 kB", in the account's locale. */
function sizeText(bytes: number, locale?: string): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: UNITS[step],
    unitDisplay: "short",
    maximumFractionDigits: step > 1 ? 1 : 0,
  }).format(bytes / 1000 ** step);
}

export function Attachments({ task }: { task: Task }) {
  const replica = useReplica();
  const mayWrite = useMayChange(task);
  const input = useRef<HTMLInputElement>(null);
  const { ids } = useGroup("attachment", ofTask.attachment, replica.store.real(task.id));
  const uploads = useUploads(task.id);
  const files = ids.flatMap((id) => replica.store.get("attachment", id) ?? []);
  if (files.length === 0 && uploads.length === 0 && !mayWrite) return null;
  return (
    <Section
      title={t("panel.files")}
      count={files.length}
      tools={
        mayWrite && (
          <>
            <input
              ref={input}
              type="file"
              multiple
              hidden
              onChange={(event) => {
                for (const file of event.target.files ?? []) void upload(replica, { kind: "task", id: task.id }, file);
                event.target.value = "";
              }}
            />
            <IconButton icon="clip" label={t("panel.addFile")} onClick={() => input.current?.click()} />
          </>
        )
      }
    >
      {(files.length > 0 || uploads.length > 0) && (
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(10rem,1fr))] gap-2">
          {files.map((file) => (
            <File
              key={file.id}
              file={file}
              mayDelete={mayWrite && file.uploaded_by_actor_id === replica.member.actorId}
            />
          ))}
          {uploads.map((each) => (
            <Sending key={each.id} upload={each} />
          ))}
        </ul>
      )}
    </Section>
  );
}

const PICTURE = /^image\/(?:png|jpeg|webp|gif)$/;
const box = "group relative flex h-28 flex-col overflow-hidden rounded-lg border border-line bg-sunken";

function File({ file, mayDelete }: { file: Attachment; mayDelete: boolean }) {
  const replica = useReplica();
  const locale = useHome()?.locale;
  const isSafe = file.scan_state === "clean" || file.scan_state === "not_scanned";
  return (
    <li className={box}>
      <button
        type="button"
        disabled={!isSafe}
        title={t("panel.saveFile", { name: file.filename })}
        onClick={() => void save(replica, file.id).catch(() => {})}
        className="flex min-h-0 flex-1 cursor-pointer flex-col text-left disabled:cursor-default"
      >
        <span className="grid min-h-0 w-full flex-1 place-items-center">
          {isSafe && PICTURE.test(file.content_type) ? (
            <Thumbnail id={file.id} />
          ) : (
            <Icon name="file" className="size-6 text-soft" />
          )}
        </span>
        <span className="flex w-full items-center gap-2 border-t border-line bg-card px-2 py-1 text-12">
          <span className="sr-only">{t("panel.save")}</span>
          <span className="min-w-0 flex-1 truncate">{file.filename}</span>
          <span className="shrink-0 text-soft">
            {isSafe ? sizeText(file.size, locale) : t(`panel.scan.${file.scan_state as "pending"}`)}
          </span>
        </span>
      </button>
      {mayDelete && (
        <IconButton
          icon="trash"
          label={t("panel.deleteFile", { name: file.filename })}
          onClick={() => confirm(t("panel.deleteFileSure", { name: file.filename })) && deleteFile(replica, file.id)}
          className="absolute top-1 right-1 bg-card opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
        />
      )}
    </li>
  );
}
function Thumbnail({ id }: { id: string }) {
  const url = usePreview(id);
  if (!url) return <Icon name="file" className="size-6 text-soft" />;
  return <img src={url} alt="" className="h-20 w-full object-cover" />;
}

function Sending({ upload }: { upload: Upload }) {
  const percent = upload.total === 0 ? 100 : Math.round((100 * upload.sent) / upload.total);
  return (
    <li className={`${box} justify-between p-2 text-12`} data-upload={upload.code ?? "sending"}>
      <span className="truncate">{upload.name}</span>
      {upload.code === null ? (
        <progress
          max={100}
          value={percent}
          aria-label={t("panel.uploading", { name: upload.name })}
          className="upload"
        />
      ) : (
        <p className="text-bad">{t("panel.uploadFailed", { why: why(upload.code) })}</p>
      )}
      <span className="flex justify-end gap-1">
        {upload.code !== null && (
          <Button look="quiet" onClick={upload.again}>
            {t("panel.again")}
          </Button>
        )}
        <IconButton icon="close" label={t("panel.cancelUpload", { name: upload.name })} onClick={upload.cancel} />
      </span>
    </li>
  );
}
