import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashToken } from '../accounts/hash-token.ts';
import type { Clock, Random } from '../platform/world.ts';
import { makeRunnerToken } from './manage-hosted.ts';
import type { RunnerTokens } from './store/runner-tokens.ts';

const FILE = 'runner.token';

/** The token of the host that `svc up` starts. A file that only its owner can read keeps it; a revoked token is replaced. */
export async function firstRunnerToken(
  ports: { readonly runnerTokens: RunnerTokens; readonly clock: Clock; readonly random: Random },
  dataDir: string,
): Promise<string> {
  const path = join(dataDir, FILE);
  const kept = readKept(path);
  const known = kept === undefined ? undefined : await ports.runnerTokens.byHash(hashToken(kept));
  if (kept !== undefined && known !== undefined && known.revokedAtMs === undefined) return kept;
  const { token } = await makeRunnerToken(ports, 'svc up');
  writeFileSync(path, `${token}\n`, { mode: 0o600 });
  return token;
}

function readKept(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
