// `npm run build`: dist/svc, one file with everything inside.
import { mkdirSync } from 'node:fs';
import { buildWeb } from './web/build.ts';

await buildWeb();
mkdirSync('dist', { recursive: true });
const { exitCode, stderr } = Bun.spawnSync(
  [
    process.execPath,
    'build',
    '--compile',
    '--bytecode',
    '--format=esm',
    '--minify',
    '--keep-names',
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
    '--root=.',
    '--outfile=dist/svc',
    'cli/svc.ts',
    'agent/runner/process/worker.ts',
    'hub/platform/db/sqlite/writer-worker.ts',
    'hub/platform/db/sqlite/backup-worker.ts',
    'hub/platform/db/sqlite/check-worker.ts',
    'hub/platform/db/sqlite/read-worker.ts',
    'hub/platform/db/sqlite/checkpoint-worker.ts',
    'web/dist/dashboard.pack',
  ],
  { env: process.env },
);
if (exitCode !== 0) {
  console.error(stderr.toString());
  process.exit(1);
}
console.log('dist/svc');
