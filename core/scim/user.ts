import { EMAIL_ADDRESS } from '../account/email-address.ts';
import { attributeOf, isObject } from './attribute-path.ts';
import { refuseScim } from './scim-error.ts';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

export interface ScimEmail {
  readonly value: string;
  readonly type: string | undefined;
  readonly primary: boolean;
}

/** What a provider says about a person. Other attributes are read over: this hub has no use for them. */
export interface ScimUser {
  readonly userName: string;
  readonly externalId: string | undefined;
  readonly displayName: string | undefined;
  readonly givenName: string | undefined;
  readonly familyName: string | undefined;
  readonly emails: readonly ScimEmail[];
  readonly isActive: boolean;
}

const MAX_CHARS = 500;
const MAX_EMAILS = 20;

/**
 * Reads a whole user (RFC 7643, section 4.1).
 *
 * @param isActiveUnlessSaid the meaning of a user without `active`
 */
export function readUser(body: unknown, isActiveUnlessSaid = true): ScimUser {
  if (!isObject(body)) throw refuseScim('invalidSyntax', 'a JSON object expected');
  const userName = scimText(body, 'userName');
  if (userName === undefined || userName.trim() === '')
    throw refuseScim('invalidValue', 'userName: a text expected');
  const name = attributeOf(body, 'name');
  const names = isObject(name) ? name : {};
  return {
    userName,
    externalId: scimText(body, 'externalId'),
    displayName: scimText(body, 'displayName'),
    givenName: scimText(names, 'givenName'),
    familyName: scimText(names, 'familyName'),
    emails: emailsOf(attributeOf(body, 'emails')),
    isActive: readActive(attributeOf(body, 'active') ?? isActiveUnlessSaid),
  };
}

/** Microsoft Entra ID sends the words "True" and "False". */
function readActive(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  if (word === 'true' || word === 'false') return word === 'true';
  throw refuseScim('invalidValue', 'active: true or false expected');
}

/** An absent text, null and the empty text are the same (RFC 7643, section 2.5). */
export function scimText(resource: object, name: string): string | undefined {
  const value = attributeOf(resource, name) ?? '';
  if (typeof value !== 'string') throw refuseScim('invalidValue', `${name}: a text expected`);
  if (value.length > MAX_CHARS)
    throw refuseScim('invalidValue', `${name}: at most ${MAX_CHARS} characters expected`);
  return value === '' ? undefined : value;
}

function emailsOf(value: unknown): ScimEmail[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? (value as unknown[]) : [value];
  if (list.length > MAX_EMAILS) throw refuseScim('invalidValue', `emails: at most ${MAX_EMAILS} expected`);
  return list.flatMap((one) => {
    const email = isObject(one) ? one : { value: one };
    const address = scimText(email, 'value');
    if (address === undefined) return [];
    const isPrimary = attributeOf(email, 'primary') ?? false;
    return [
      {
        value: address,
        type: scimText(email, 'type'),
        primary: isPrimary === true || isPrimary === 'true' || isPrimary === 'True',
      },
    ];
  });
}

/**
 * The address by which a person signs in: the primary one, else that of work, else the first, else the user name. Refuses a user
 * without an address with `invalidValue`.
 */
export function emailOf({ userName, emails }: Pick<ScimUser, 'userName' | 'emails'>): string {
  const email =
    emails.find(({ primary }) => primary) ??
    emails.find(({ type }) => type?.toLowerCase() === 'work') ??
    emails[0];
  const address = email?.value ?? userName;
  if (EMAIL_ADDRESS.test(address)) return address;
  throw refuseScim('invalidValue', `emails: the e-mail address of ${JSON.stringify(userName)} expected`);
}

/** A user as JSON of the standard, without `id`, `meta` and `groups`, as a change is applied to it. */
export function userDocument(user: ScimUser): Record<string, unknown> {
  const { userName, externalId, displayName, givenName, familyName, emails, isActive } = user;
  return {
    userName,
    ...(externalId === undefined ? {} : { externalId }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(givenName === undefined && familyName === undefined
      ? {}
      : {
          name: {
            ...(givenName === undefined ? {} : { givenName }),
            ...(familyName === undefined ? {} : { familyName }),
          },
        }),
    ...(emails.length === 0
      ? {}
      : {
          emails: emails.map(({ value, type, primary }) => ({
            value,
            ...(type === undefined ? {} : { type }),
            ...(primary ? { primary } : {}),
          })),
        }),
    active: isActive,
  };
}
