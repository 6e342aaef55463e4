import { Failure } from '../failure.ts';
import { baseUrlOf } from '../service/find-service.ts';
import { Logins } from '../service/logins.ts';
import { writeRows } from '../terminal.ts';
import { endToken } from './end-token.ts';
import type { LogoutOptions } from './options.ts';

/** `svc logout`: ends the token at the service, then removes it here. */
export async function logout(options: LogoutOptions): Promise<void> {
  const baseUrl = baseUrlOf(options, process.env);
  const logins = new Logins(process.env);
  const login = logins.of(baseUrl);
  if (login === undefined) throw new Failure(`not signed in at ${baseUrl}`, { tip: 'svc login' });
  if (!options.forget) await end(baseUrl, login.accessToken);
  logins.forget(baseUrl);
  if (options.json) process.stdout.write(`${JSON.stringify({ base_url: baseUrl })}\n`);
  else writeRows(process.stdout, [{ label: 'signed out', text: `from ${baseUrl}` }]);
}

async function end(baseUrl: string, credential: string): Promise<void> {
  try {
    await endToken({ baseUrl, username: undefined, credential });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const tip = 'svc logout --forget removes only the local token';
    throw new Failure(error.message, { tip, exitCode: error.exitCode });
  }
}
