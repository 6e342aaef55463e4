import { ApiError } from '@svc/core/api/client/api-error';
import { Failure } from '../failure.ts';
import { apiOf } from '../service/api.ts';
import { baseUrlOf } from '../service/find-service.ts';
import { Logins } from '../service/logins.ts';
import { failureOf, type Service } from '../service/service.ts';
import { writeRows } from '../terminal.ts';
import { beginLogin, type DeviceLogin, untilConfirmed } from './device-login.ts';

/** `svc login`: resolves when the person has confirmed in a browser and the token is stored. */
export async function login(options: LoginOptions): Promise<void> {
  const baseUrl = baseUrlOf(options, process.env);
  const service: Service = { baseUrl, username: undefined, credential: undefined };
  const logins = new Logins(process.env);
  const before = logins.of(baseUrl);
  // The token is issued when the person confirms, so it must be possible to keep it.
  logins.requireWritable();
  const begun = await beginLogin(service);
  if (options.json) printLine(openLine(begun));
  else writeRows(process.stdout, openRows(begun));
  const {
    access_token: accessToken,
    expires_in: expiresSec,
    username,
  } = await untilConfirmed(service, begun);
  const expiresAt = new Date(Date.now() + expiresSec * 1000).toISOString();
  logins.keep(baseUrl, { accessToken, username: username ?? undefined, expiresAt });
  if (options.json) printLine({ base_url: baseUrl, username, expires_at: expiresAt });
  else writeRows(process.stdout, doneRows(baseUrl, username, logins.path));
  if (before !== undefined) await endToken({ ...service, credential: before.accessToken });
}

function openLine({ verification_uri, verification_uri_complete, user_code, expires_in }: DeviceLogin) {
  return { verification_uri, verification_uri_complete, user_code, expires_in };
}

function openRows({ verification_uri_complete: url, user_code: code, expires_in: expiresSec }: DeviceLogin) {
  return [
    { label: 'open', text: url },
    { label: 'code', text: `${code} (the page shows the same code)` },
    { label: 'waiting', text: `confirm within ${Math.floor(expiresSec / 60)} minutes` },
  ];
}

function doneRows(baseUrl: string, username: string | null, path: string) {
  const who = username === null ? 'no username yet' : `as ${username}`;
  return [
    { label: 'signed in', text: `at ${baseUrl}, ${who}` },
    { label: 'saved in', text: path },
  ];
}

function printLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** `svc logout`: ends the token at the service, then removes it here. */
export async function logout(options: LogoutOptions): Promise<void> {
  const baseUrl = baseUrlOf(options, process.env);
  const logins = new Logins(process.env);
  const login = logins.of(baseUrl);
  if (login === undefined) throw new Failure(`not signed in at ${baseUrl}`, { tip: 'svc login' });
  // A token that has ended at the service must not stay here.
  logins.requireWritable();
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

/** Ends the access token at a service; an already invalid token is fine. */
async function endToken(service: Service): Promise<void> {
  try {
    await apiOf(service).signOut();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status !== 401) throw failureOf(error);
  }
}

export interface LoginOptions {
  readonly baseUrl?: string;
  readonly context?: string;
  readonly json?: true;
}

export interface LogoutOptions extends LoginOptions {
  readonly forget?: true;
}
