// Icon of a Workspace, or the first letter of its name.
import { useFresh } from "./fresh-picture.ts";

interface Props {
  workspace: { id: string; name: string; hasIcon?: boolean };
  size?: number;
}
export function WorkspaceIcon({ workspace: { id, name, hasIcon }, size = 20 }: Props) {
  const src = useFresh(`/api/v1/workspaces/${id}/icon/content`);
  const box = { width: size, height: size, fontSize: size * 0.55 };
  if (hasIcon) return <img src={src} alt="" style={box} className="shrink-0 rounded-md object-cover" />;
  return (
    <span
      aria-hidden="true"
      style={box}
      className="grid shrink-0 place-items-center rounded-md bg-accent font-bold text-on-accent"
    >
      {[...name][0]?.toUpperCase()}
    </span>
  );
}
