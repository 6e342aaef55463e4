/** Characters that Windows does not take in names; `:` also makes a drive or a hidden stream there. */
const UNSAFE = /[<>:"|?*]/g;
/** Names of devices on Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * The names of artifacts in an archive, in the same order: paths that every unpacker takes as they are, below its folder. The names are
 * artifact names already (`artifactNameProblem`).
 *
 * No two are the same where upper and lower case are, and none is also the folder of another: a number tells them apart.
 */
export function archiveNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  const lastCounts = new Map<string, number>();
  return names.map((name) => {
    const path = name.split('/').map(safePart).join('/');
    const unique = uniqueOf(path, taken, lastCounts);
    // A folder may be in several paths, and a file is in one.
    taken.add(`file ${folded(unique)}`);
    for (const folder of foldersOf(folded(unique))) taken.add(`folder ${folder}`);
    return unique;
  });
}

/**
 * The path, or the first numbered one that is free. The count continues where the last one of the same first part ended, so that many
 * names that become the same take no time of their square: a hub does this for the names that any command chose.
 */
function uniqueOf(path: string, taken: ReadonlySet<string>, lastCounts: Map<string, number>): string {
  if (!collides(path, taken)) return path;
  const counted = folded(path.slice(0, path.indexOf('/') + 1) || path);
  let count = lastCounts.get(counted) ?? 2;
  while (collides(numbered(path, count), taken)) count += 1;
  lastCounts.set(counted, count);
  return numbered(path, count);
}

function safePart(part: string): string {
  // Windows leaves dots and spaces at the end out.
  const plain = part.replaceAll(UNSAFE, '_').replace(/[. ]+$/, (end) => '_'.repeat(end.length));
  return DEVICE.test(plain) ? `_${plain}` : plain;
}

function collides(path: string, taken: ReadonlySet<string>): boolean {
  const name = folded(path);
  if (taken.has(`file ${name}`) || taken.has(`folder ${name}`)) return true;
  return foldersOf(name).some((folder) => taken.has(`file ${folder}`));
}

/** The folders that a path is in, the outermost first. */
function foldersOf(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
}

/** As file systems compare names that ignore case. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** `app (2).zip`, `dist (2)/app.zip`: in the first part, so that a file in the way of a folder is passed, too. */
function numbered(path: string, count: number): string {
  const slash = path.indexOf('/');
  const dot = path.lastIndexOf('.');
  const at = slash !== -1 ? slash : dot > 0 ? dot : path.length;
  return `${path.slice(0, at)} (${count})${path.slice(at)}`;
}
