import { cpSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');
/** The folders of the hub's and the agent's sources. */
const SOURCES = ['core', 'hub', 'agent', 'cli', 'web', 'templates', 'test', 'package.json', 'tsconfig.json'];

/** A copy of these sources, to be changed: it lends the packages that are installed here. */
export function copySources(folder: string): void {
  const filter = (from: string) => basename(from) !== 'node_modules' && basename(from) !== 'output';
  for (const name of SOURCES) cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter });
  lendPackages(folder);
}

/** The sources of a commit; false where the history is not at hand. */
export async function sourcesOf(commit: string, folder: string): Promise<boolean> {
  const archive = Bun.spawn(['git', 'archive', commit], { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] });
  const tar = Bun.spawn(['tar', 'x', '-C', folder], {
    stdin: archive.stdout,
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const codes = await Promise.all([archive.exited, tar.exited]);
  if (codes.some((code) => code !== 0)) return false;
  lendPackages(folder);
  return true;
}

/** The packages of the rooms themselves are the copy's own. */
function lendPackages(folder: string): void {
  const own = join(folder, 'node_modules/@svc');
  mkdirSync(own, { recursive: true });
  for (const room of readdirSync(join(ROOT, 'node_modules/@svc')))
    symlinkSync(join(folder, basename(readlinkSync(join(ROOT, 'node_modules/@svc', room)))), join(own, room));
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@svc') symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  for (const room of ['cli', 'hub', 'web'])
    symlinkSync(join(ROOT, room, 'node_modules'), join(folder, room, 'node_modules'));
}
