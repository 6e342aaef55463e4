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
  return names.map((name) => {
    const path = name.split('/').map(safePart).join('/');
    let unique = path;
    for (let count = 2; collides(unique, taken); count += 1) unique = numbered(path, count);
    const parts = folded(unique).split('/');
    // A folder may be in several paths, and a file is in one.
    taken.add(`file ${folded(unique)}`);
    for (let depth = 1; depth < parts.length; depth += 1)
      taken.add(`folder ${parts.slice(0, depth).join('/')}`);
    return unique;
  });
}

function safePart(part: string): string {
  // Windows leaves dots and spaces at the end out.
  const plain = part.replaceAll(UNSAFE, '_').replace(/[. ]+$/, (end) => '_'.repeat(end.length));
  return DEVICE.test(plain) ? `_${plain}` : plain;
}

function collides(path: string, taken: ReadonlySet<string>): boolean {
  const parts = folded(path).split('/');
  if (taken.has(`file ${folded(path)}`) || taken.has(`folder ${folded(path)}`)) return true;
  return parts.some((_, depth) => taken.has(`file ${parts.slice(0, depth).join('/')}`));
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
