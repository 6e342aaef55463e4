import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const SUITE = join(import.meta.dir, '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Runs the suite's command `server`; what it printed. */
export async function runSuite(url: string, args: readonly string[], folder: string): Promise<string> {
  const child = Bun.spawn([process.execPath, SUITE, 'server', '--url', url, ...args, '-o', folder], {
    env: { ...process.env, BUN_BE_BUN: '1' },
    stdout: 'pipe',
    stderr: 'ignore',
  });
  return await new Response(child.stdout).text();
}

interface Check {
  readonly id: string;
  readonly status: string;
}

/** The checks of one scenario that failed in the revision 2026-07-28, by id; throws when it had none. */
export async function failures(url: string, scenario: string, folder: string): Promise<string[]> {
  const own = join(folder, scenario);
  await runSuite(url, ['--spec-version', '2026-07-28', '--force', '--scenario', scenario], own);
  const [run = ''] = await readdir(own);
  const checks = (await Bun.file(join(own, run, 'checks.json')).json()) as Check[];
  if (checks.length === 0) throw new Error(`${scenario}: no check was made`);
  return checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id);
}
