/**
 * A path from a folder, absolute, so that no program takes it for an option (decision 57). `..` stays: what it means depends on
 * the links before it, and only the file system knows these.
 */
export function absolutePath(folder: string, path: string): string {
  if (path.startsWith('/')) return path;
  const rest = path.replace(/^(?:\.\/+)+/, '');
  return rest === '.' ? folder : `${folder.replace(/\/+$/, '')}/${rest}`;
}

/** Whether a path is a folder or lies in it. Both are absolute and resolved: they hold neither links nor `..`. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
