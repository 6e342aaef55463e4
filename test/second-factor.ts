import type { SoftwareAuthenticator } from '@svc/hub/passkeys/fixtures/software-authenticator';
import { hashRecoveryCode } from '@svc/hub/second-factor/prove-second-factor';
import { postForm } from './forms.ts';
import { openHubFile } from './hub-file.ts';
import type { HubWorld } from './hub-world.ts';
import { beginPasskey, passkeyAnswer } from './passkeys.ts';
import { linkTo, type Person, personWith, sessionIn } from './people.ts';

/** A browser with a pending session. */
export interface PendingBrowser {
  readonly response: Response;
  /** The person with the cookie of the pending session, and no session. */
  readonly person: Person;
}

/** The cookies that an answer sets, as a browser sends them back. */
export function cookiesIn(response: { readonly headers: Headers }): string {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return cookies.filter((cookie) => !cookie.endsWith('=')).join('; ');
}

/** Opens a new sign-in link of a person who has a second factor. */
export async function openLink(world: HubWorld, email: string, cookie = ''): Promise<PendingBrowser> {
  await fetch(`${world.hub.hubUrl}/auth/magic-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });
  const response = await postForm(await linkTo(world, email), cookie === '' ? {} : { cookie });
  return { response, person: personWith(world, email, cookiesIn(response)) };
}

/** Gives a person a second factor with these recovery codes, in the database, and ends no session. */
export function giveFactor(world: HubWorld, email: string, codes: readonly string[]): void {
  using database = openHubFile(world.dataDir);
  const [user] = database.query('SELECT id FROM users WHERE email = ?').all(email) as { id: string }[];
  const id = user?.id ?? '';
  database.run('UPDATE users SET second_factor_since_ms = 1 WHERE id = ?', [id]);
  for (const code of codes)
    database.run('INSERT INTO recovery_codes VALUES (?, ?, 1, NULL)', [id, hashRecoveryCode(id, code)]);
}

/** Sends the form of the page that asks for the second factor. */
export function sendFactor(
  world: HubWorld,
  { cookie }: Pick<Person, 'cookie'>,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${world.hub.hubUrl}/login/second-factor`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      cookie,
      origin: world.hub.hubUrl,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  });
}

/** Proves the second factor of a pending sign-in with a passkey. */
export async function sendPasskey(
  world: HubWorld,
  person: Person,
  authenticator: SoftwareAuthenticator,
  userId: string,
): Promise<Response> {
  const begun = await beginPasskey(world, person, '/login/second-factor/challenge');
  return sendFactor(world, begun.person, passkeyAnswer(authenticator, begun, userId));
}

/** Switches the second factor of a person on, and returns the recovery codes. The person needs a passkey of the authenticator. */
export async function switchOn(
  world: HubWorld,
  person: Person,
  authenticator: SoftwareAuthenticator,
  userId?: string,
): Promise<string[]> {
  const begun = await beginPasskey(world, person, '/auth/second-factor/challenge');
  const passkey = passkeyAnswer(authenticator, begun, userId ?? (await userIdOf(person)));
  const answer = await begun.person.ask('PUT', '/auth/second-factor', { body: { passkey } });
  if (answer.status !== 200) throw new Error(`the second factor is not on: ${answer.text}`);
  return answer.body.recovery_codes as string[];
}

/** The id of the owner of the person's own workspace. */
export async function userIdOf(person: Person): Promise<string> {
  const { body } = await person.ask('GET', '/team/members');
  return (body.owner as { id: string }).id;
}

/** The person with the session that an answer sets. */
export function signedInBy(world: HubWorld, email: string, response: Response): Person {
  return personWith(world, email, sessionIn(response));
}
