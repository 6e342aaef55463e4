import type { SoftwareAuthenticator } from '@svc/hub/passkeys/fixtures/software-authenticator';
import type { HubWorld } from './hub-world.ts';
import { type Person, personWith } from './people.ts';

/** A challenge that a person got, and the person with the cookie of that challenge. */
export interface Begun {
  readonly challenge: string;
  readonly rpId: string;
  readonly origin: string;
  readonly person: Person;
}

/** Begins at a route that answers with a challenge. */
export async function beginPasskey(world: HubWorld, person: Person, path: string): Promise<Begun> {
  const { status, headers, body, text } = await person.ask('POST', path);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return {
    challenge: body.challenge as string,
    rpId: body.rp_id as string,
    origin: new URL(world.hub.hubUrl).origin,
    person: personWith(world, person.email, [person.cookie, ...cookies].join('; ')),
  };
}

/** Adds the credential of an authenticator to the account of a person, and returns the id of the passkey. */
export async function addPasskey(
  world: HubWorld,
  person: Person,
  authenticator: SoftwareAuthenticator,
  name = 'Laptop',
): Promise<string> {
  const begun = await beginPasskey(world, person, '/auth/passkeys/challenge');
  const { clientData, ...made } = authenticator.create(begun);
  const added = await begun.person.ask('POST', '/auth/passkeys', {
    body: { ...made, client_data: clientData, name },
  });
  return added.body.id as string;
}

/** The answer of an authenticator, as the API takes it. */
export function passkeyAnswer(
  authenticator: SoftwareAuthenticator,
  use: Omit<Begun, 'person'> & { readonly flags?: number },
  userId: string,
) {
  const { clientData, authenticatorData, userHandle, ...rest } = authenticator.get(use, userId);
  return {
    ...rest,
    client_data: clientData,
    authenticator_data: authenticatorData,
    user_handle: userHandle,
  };
}
