// What an agent does with the files of a command that runs as another user, and how it goes: JSON on stdout. The folder is the current one.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { collectFiles } from '@svc/agent/link/artifacts/collect';
import { OutputFolders } from '@svc/agent/link/artifacts/output-folders';

const NOBODY = { uid: 65_534, gid: 65_534 };
const root = join(process.cwd(), 'artifacts', 'of-this-agent');
const folders = new OutputFolders(root);
const leave = (id: string): string => {
  folders.create(id, ['**'], NOBODY);
  const command = 'cd "$0" && umask 077 && mkdir folder && echo x > folder/private';
  Bun.spawnSync(
    ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'sh', '-c', command, folders.pathOf(id)],
    {
      stderr: 'inherit',
    },
  );
  return join(root, id);
};

const [sent, stale] = [leave('sent'), leave('stale')];
const troubles: string[] = [];
const onTrouble = (cause: unknown) => troubles.push(String(cause));
const { found, missing } = await collectFiles(folders.pathOf('sent'), ['**']);
await folders.remove('sent').catch(onTrouble);
await folders.keepOnly(new Set(), onTrouble);
const left = [sent, stale].map((path) => String(existsSync(path)));
process.stdout.write(JSON.stringify({ collected: { found, missing }, left, troubles }));
