/**
 * An absolute path from a folder and a path. An absolute path cannot be taken for an option (decision 57, values by type).
 * `..` stays, because its meaning depends on symbolic links, which only the file system knows.
 */
export function absolutePath(folder: string, path: string): string {
  if (path.startsWith('/')) return path;
  const rest = path.replace(/^(?:\.\/+)+/, '');
  return rest === '.' ? folder : `${folder.replace(/\/+$/, '')}/${rest}`;
}

/** Whether a path is a folder or inside it. Both are absolute and resolved, without links and `..`. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
