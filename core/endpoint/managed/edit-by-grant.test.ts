import { describe, expect, test } from 'bun:test';
import { endpointSchema } from '../../config/definition/schema.ts';
import type { WireDefinition } from '../../protocol/definition.ts';
import { Refusal } from '../../refusal.ts';
import { decideEndpointChange, type ManagedEndpoint } from './decide-endpoint.ts';
import { OWNER_FIELDS, refuseBeyondGrant } from './edit-by-grant.ts';
import { effectiveEndpoint } from './overrides.ts';

/** What a person with a grant of `edit` gets for a change. */
function byGrant(
  source: ManagedEndpoint['source'],
  own: WireDefinition,
  changes: WireDefinition,
  overrides: WireDefinition = {},
): string {
  const definition = { name: 'a', command: 'true', ...own };
  const endpoint = effectiveEndpoint(definition, overrides);
  if (endpoint === undefined) throw new Error('this cannot be read');
  const before = { source, registeredBy: 'build', version: 1, endpoint, definition, overrides };
  try {
    refuseBeyondGrant(before, decideEndpointChange(before, changes, {}));
    return 'allowed';
  } catch (error) {
    if (error instanceof Refusal) return `${error.code} ${error.message}`;
    throw error;
  }
}

type OwnerField = keyof typeof OWNER_FIELDS;

const KEYS = ['a', 'b'].map((letter) => `ed25519:${letter.repeat(43)}`);

/** Each field with a value, and another one. */
const OWNED: readonly (readonly [field: OwnerField, value: unknown, other: unknown])[] = [
  ['approval_required', true, null],
  ['approval', 'passkey', null],
  ['approvers', ['admin'], ['admin', 'lin@x.org']],
  ['allow_self', false, true],
  ['approver_keys', [KEYS[0]], [KEYS[1]]],
  ['agent_name', 'build', 'prod'],
  ['schedule', '0 5 * * *', '* * * * *'],
  ['effects', 'write', 'read'],
  ['idempotent', true, false],
  ['mcp', false, true],
  ['callback_url', 'https://a.example/', 'https://b.example/'],
];
/** Beside some fields an endpoint of a file needs an approval. */
const GATED = { approval_required: true };
const gatedBy = (field: OwnerField) => (/appro|allow/.test(field) ? GATED : {});

/** The fields that a grant of `edit` may change: those of the command. The route refuses `name`, `tags` and `public`. */
const OF_THE_COMMAND =
  'command args method description timeout env accepts_env cwd transform output content_type merge artifacts stdin max_stdin ' +
  'on_disconnect max_concurrent approval_timeout_mins';

describe('a grant of edit', () => {
  test('has a rule for each field of an endpoint', () => {
    const elsewhere = ['name', 'tags', 'public', 'alerts'];
    const all = [...Object.keys(OWNER_FIELDS), ...OF_THE_COMMAND.split(' '), ...elsewhere];
    expect(all.toSorted()).toEqual(Object.keys(endpointSchema.shape).toSorted());
    expect(OWNED.map(([field]): string => field)).toEqual(Object.keys(OWNER_FIELDS));
  });

  for (const [field, value, other] of OWNED) {
    const own = { ...gatedBy(field), [field]: value };
    const refused = `forbidden "${field}" is more than a grant gives: an owner or admin changes it`;

    test(`does not change ${field} of an endpoint of the API, and takes it back unchanged`, () => {
      for (const next of [other, null]) expect(byGrant('api', own, { [field]: next })).toBe(refused);
      expect(byGrant('api', gatedBy(field), { [field]: value })).toBe(
        field === 'approval_required' ? 'allowed' : refused,
      );
      expect(byGrant('api', own, { [field]: value, command: 'false' })).toBe('allowed');
    });

    if (field !== 'agent_name' && field !== 'approver_keys')
      test(`neither adds nor removes an override of ${field} of a file`, () => {
        const base = field === 'approval_required' ? {} : gatedBy(field);
        expect(byGrant('config', base, { [field]: value })).toBe(refused);
        expect(byGrant('config', own, { [field]: value })).toBe(refused);
        expect(byGrant('config', own, { [field]: null }, { [field]: value })).toBe(refused);
        expect(byGrant('config', own, { [field]: null, description: 'x' })).toBe('allowed');
      });
  }

  test('changes the command, without a secret that it does not have', () => {
    expect(byGrant('api', { command: 'echo $svc:A' }, { command: 'cat $svc:A' })).toBe('allowed');
    expect(byGrant('api', { command: 'echo $svc:A' }, { command: 'echo $svc:A $svc:B' })).toBe(
      'forbidden the secret "B" is new here: an owner or admin adds it',
    );
  });
});
