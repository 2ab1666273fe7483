// A part of the application in a file of its own. Once the file is here it is drawn at once: React's own `lazy` shows nothing first, even then, and what
// stood in its place is left standing for 300 ms.
import { type ComponentType, lazy } from "react";

export type Later<Props> = ComponentType<Props> & {
  /** Fetches it ahead; what cannot be fetched is tried again when it is drawn. */
  fetch(): Promise<void>;
};

export function later<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>): Later<Props> {
  let Here: ComponentType<Props> | null = null;
  const come = async () => {
    const file = await load();
    Here = file.default;
    return file;
  };
  const Coming = lazy(come);
  const part = (props: Props) => (Here ? <Here {...props} /> : <Coming {...props} />);
  return Object.assign(part, {
    fetch: () =>
      come().then(
        () => {},
        () => {},
      ),
  });
}
