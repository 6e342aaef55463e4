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
  readonly errorMessage?: string;
}

/** The reasons of the checks of one scenario that failed in the revision 2026-07-28, by id; throws when it had none. */
export async function failures(
  url: string,
  scenario: string,
  folder: string,
): Promise<Record<string, string>> {
  const own = join(folder, scenario);
  await runSuite(url, ['--spec-version', '2026-07-28', '--force', '--scenario', scenario], own);
  const [run = ''] = await readdir(own);
  const checks = (await Bun.file(join(own, run, 'checks.json')).json()) as Check[];
  if (checks.length === 0) throw new Error(`${scenario}: no check was made`);
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  return Object.fromEntries(failed.map(({ id, errorMessage = '' }) => [id, errorMessage]));
}

/**
 * Runs the suite's command `authorization` for a client that is registered. `browse` gets the address that a person opens.
 * Returns the failed and warned checks of all scenarios, and the number of checks.
 */
export async function authorizationProblems(
  issuer: string,
  {
    clientId,
    port,
    resource,
  }: { readonly clientId: string; readonly port: number; readonly resource: string },
  browse: (url: string) => Promise<void>,
  folder: string,
): Promise<{ readonly problems: string[]; readonly count: number }> {
  const args = ['--client-id', clientId, '--resource', resource, '--port', String(port)];
  const child = Bun.spawn(
    [process.execPath, SUITE, 'authorization', '--url', issuer, ...args, '-o', folder],
    {
      env: { ...process.env, BUN_BE_BUN: '1' },
      stdout: 'pipe',
      stderr: 'ignore',
    },
  );
  let text = '';
  let hasBrowsed = false;
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    const [url] = /^http\S+\/oauth\/authorize\?\S+(?=\n)/m.exec(text) ?? [];
    if (url === undefined || hasBrowsed) continue;
    hasBrowsed = true;
    await browse(url);
  }
  const checks: Check[] = [];
  for (const run of await readdir(folder))
    checks.push(...((await Bun.file(join(folder, run, 'checks.json')).json()) as Check[]));
  const problems = checks
    .filter(({ status }) => status !== 'SUCCESS')
    .map(({ id, status }) => `${id} ${status}`);
  return { problems, count: checks.length };
}
