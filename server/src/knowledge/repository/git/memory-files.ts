// Memory-backed file system for one Git repository: the subset that isomorphic-git needs. It lives as long as a run. A
// pack is checked before it is stored: one that would not fit into memory is refused before it is unpacked.
import { checkPack } from "./pack-limits.ts";

const missing = (path: string) => Object.assign(new Error(`${path} is not there`), { code: "ENOENT" });
const kindOf = (kind: "file" | "folder", size = 0) => ({
  type: kind === "file" ? "file" : "dir",
  mode: kind === "file" ? 0o100644 : 0o040000,
  size,
  mtimeMs: 0,
  ctimeMs: 0,
  isFile: () => kind === "file",
  isDirectory: () => kind === "folder",
  isSymbolicLink: () => false,
});

export function memoryFiles() {
  const files = new Map<string, Buffer>();
  const folders = new Map<string, Set<string>>([["/", new Set()]]);
  const split = (path: string) => {
    const at = path.lastIndexOf("/");
    return [path.slice(0, at) || "/", path.slice(at + 1)] as const;
  };
  const named = (path: string) => {
    const [folder, name] = split(path);
    const names = folders.get(folder);
    if (!names) throw missing(folder);
    names.add(name);
  };
  const stat = async (path: string) => {
    const file = files.get(path);
    if (file) return kindOf("file", file.length);
    if (folders.has(path)) return kindOf("folder");
    throw missing(path);
  };
  return {
    promises: {
      stat,
      lstat: stat,
      async readFile(path: string, options?: string | { encoding?: string }) {
        const file = files.get(path);
        if (!file) throw missing(path);
        const encoding = typeof options === "string" ? options : options?.encoding;
        return encoding === "utf8" ? file.toString("utf8") : file;
      },
      async writeFile(path: string, data: Uint8Array | string) {
        const bytes =
          typeof data === "string" ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.length);
        if (path.endsWith(".pack")) checkPack(bytes);
        named(path);
        files.set(path, bytes);
      },
      async unlink(path: string) {
        const [folder, name] = split(path);
        folders.get(folder)?.delete(name);
        files.delete(path);
      },
      async readdir(path: string) {
        const names = folders.get(path);
        if (!names) throw missing(path);
        return [...names];
      },
      async mkdir(path: string) {
        if (folders.has(path)) return;
        named(path);
        folders.set(path, new Set());
      },
      async rmdir(path: string) {
        folders.delete(path);
      },
      async readlink(path: string): Promise<string> {
        throw missing(path);
      },
      async symlink(_target: string, path: string): Promise<void> {
        throw missing(path);
      },
    },
  };
}
