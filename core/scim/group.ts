import { attributeOf, isObject } from './attribute-path.ts';
import type { PatchOperation } from './patch.ts';
import { refuseScim } from './scim-error.ts';
import { scimText } from './user.ts';

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

export interface ScimGroup {
  readonly displayName: string;
  readonly externalId: string | undefined;
  /** The ids of users. */
  readonly members: readonly string[];
}

const MAX_NAME_CHARS = 200;
const MAX_MEMBERS = 5_000;

/** Reads a whole group (RFC 7643, section 4.2). */
export function readGroup(body: unknown): ScimGroup {
  if (!isObject(body)) throw refuseScim('invalidSyntax', 'a JSON object expected');
  return checked({
    displayName: scimText(body, 'displayName') ?? '',
    externalId: scimText(body, 'externalId'),
    members: memberIds(attributeOf(body, 'members')),
  });
}

/**
 * Applies the changes of a PATCH to a group. A member is named by a filter (`members[value eq "…"]`) or in the value, also for
 * `remove`; without either, all members are meant.
 */
export function patchGroup(group: ScimGroup, operations: readonly PatchOperation[]): ScimGroup {
  return checked(operations.reduce(applyToGroup, group));
}

function applyToGroup(group: ScimGroup, { op, path, value }: PatchOperation): ScimGroup {
  switch (path.attribute) {
    case 'displayname':
      return {
        ...group,
        displayName: op === 'remove' ? '' : (scimText({ displayName: value }, 'displayName') ?? ''),
      };
    case 'externalid':
      return {
        ...group,
        externalId: op === 'remove' ? undefined : scimText({ externalId: value }, 'externalId'),
      };
    case 'members': {
      const named = path.filter.map((one) => {
        if (one.attribute !== 'value' || typeof one.value !== 'string')
          throw refuseScim('invalidPath', 'members: the filter value eq "…" expected');
        return one.value;
      });
      const isAll = op === 'remove' && named.length === 0 && (value ?? undefined) === undefined;
      const meant = [...named, ...memberIds(value)];
      return { ...group, members: isAll ? [] : changedMembers(group.members, op, meant) };
    }
    default:
      return group;
  }
}

function changedMembers(
  members: readonly string[],
  op: PatchOperation['op'],
  named: readonly string[],
): readonly string[] {
  if (op === 'add') return [...members, ...named];
  if (op === 'replace') return named;
  const removed = new Set(named);
  return members.filter((id) => !removed.has(id));
}

function memberIds(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? (value as unknown[]) : [value];
  return list.map((one) => {
    const id = isObject(one) ? attributeOf(one, 'value') : one;
    if (typeof id !== 'string' || id === '')
      throw refuseScim('invalidValue', 'members: objects with the id of a user in "value" expected');
    return id;
  });
}

function checked({ displayName, externalId, members }: ScimGroup): ScimGroup {
  const name = displayName.trim();
  if (name === '' || name.length > MAX_NAME_CHARS)
    throw refuseScim('invalidValue', `displayName: a text of 1 to ${MAX_NAME_CHARS} characters expected`);
  const unique = [...new Set(members)];
  if (unique.length > MAX_MEMBERS)
    throw refuseScim('invalidValue', `members: at most ${MAX_MEMBERS} expected`);
  return { displayName: name, externalId, members: unique };
}
