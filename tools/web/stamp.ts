import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The sources of the dashboard; the lock file stands for the packages. */
const SOURCES = ['web', 'core', 'tools/web', 'package-lock.json'] as const;
const LEFT_OUT = /(?:^|\/)(?:node_modules|dist|fixtures)(?:\/|$)|\.test\.tsx?$/;

/** A hash of the sources of a build, by default of the dashboard. The same stamp means the same files. */
export function sourceStamp(root: string, sources: readonly string[] = SOURCES): string {
  const hash = createHash('sha256');
  for (const file of sources.flatMap((source) => filesIn(root, source)).sort()) {
    hash.update(`${file}\0`);
    hash.update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

function filesIn(root: string, source: string): string[] {
  if (/\.\w+$/.test(source)) return [source];
  return readdirSync(join(root, source), { withFileTypes: true }).flatMap((entry) => {
    const path = `${source}/${entry.name}`;
    if (LEFT_OUT.test(path)) return [];
    return entry.isDirectory() ? filesIn(root, path) : [path];
  });
}
