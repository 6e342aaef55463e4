import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Refusal } from '../refusal.ts';
import { readFilter } from './filter.ts';
import { patchGroup, readGroup } from './group.ts';
import { patchUser, readPatch } from './patch.ts';
import { emailOf, readUser, userDocument } from './user.ts';

const LIN = readUser({
  userName: 'lin@example.com',
  externalId: '7f3a',
  name: { givenName: 'Lin', familyName: 'Doe' },
  emails: [{ value: 'lin@example.com', type: 'work', primary: true }],
  active: true,
});

function outcomeOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error.details.scimType;
    throw error;
  }
}

function patched(...operations: object[]) {
  return readUser(patchUser(userDocument(LIN), readPatch({ Operations: operations })));
}

describe('a filter', () => {
  const table: [string, unknown][] = [
    ['userName eq "lin@example.com"', [['username', 'lin@example.com']]],
    ['USERNAME Eq "a \\"b\\" \\u00e9"', [['username', 'a "b" é']]],
    ['urn:ietf:params:scim:schemas:core:2.0:User:externalId eq "7"', [['externalid', '7']]],
    [
      'displayName eq "x" and externalId eq "y"',
      [
        ['displayname', 'x'],
        ['externalid', 'y'],
      ],
    ],
    ['emails[type eq "work"].value eq "l@e.c"', [['emails.value', 'l@e.c']]],
    ['active eq true', [['active', true]]],
    ['userName co "lin"', 'invalidFilter'],
    ['userName eq lin', 'invalidFilter'],
    ['userName eq "a" or userName eq "b"', 'invalidFilter'],
    ['not (userName eq "a")', 'invalidFilter'],
    ['userName eq "a" and', 'invalidFilter'],
    ['userName eq "a', 'invalidFilter'],
    ['', 'invalidFilter'],
  ];
  test.each(table)('%p', (text, expected) => {
    const read = outcomeOf(() => readFilter(text).map(({ attribute, value }) => [attribute, value]));
    expect(read).toEqual(expected);
  });
});

describe('a change of a user', () => {
  // The first five have the shape of requests in "Known issues and resolutions with SCIM 2.0 protocol compliance of the Microsoft Entra
  // user provisioning service", with and without its flag for the standard.
  const table: [string, object[], object | string][] = [
    [
      'op with a capital, active as a word',
      [{ op: 'Replace', path: 'active', value: 'False' }],
      { isActive: false },
    ],
    ['no path', [{ op: 'replace', value: { active: false } }], { isActive: false }],
    [
      'paths as names',
      [
        {
          op: 'Replace',
          value: { 'name.familyName': 'Roe', 'emails[type eq "work"].value': 'roe@example.com' },
        },
      ],
      { familyName: 'Roe', emails: [{ value: 'roe@example.com', type: 'work', primary: true }] },
    ],
    [
      'a list with a filter that finds nothing',
      [{ op: 'Add', path: 'emails[type eq "home"].value', value: 'lin@home.example' }],
      { emails: [...LIN.emails, { value: 'lin@home.example', type: 'home', primary: false }] },
    ],
    [
      'attributes of an extension',
      [
        {
          op: 'Add',
          path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
          value: 'x',
        },
      ],
      {},
    ],
    ['unknown attributes', [{ op: 'add', path: 'phoneNumbers[type eq "work"].value', value: '1' }], {}],
    [
      'a removal',
      [
        { op: 'remove', path: 'displayName' },
        { op: 'remove', path: 'emails' },
      ],
      { emails: [] },
    ],
    ['a removal of nothing', [{ op: 'remove' }], 'noTarget'],
    ['a removal of the id', [{ op: 'remove', path: 'id' }], 'mutability'],
    ['an unknown op', [{ op: 'move', path: 'active' }], 'invalidSyntax'],
    ['a path that is none', [{ op: 'add', path: '[x', value: 1 }], 'invalidPath'],
    ['no active', [{ op: 'remove', path: 'active' }], 'invalidValue'],
    ['no user name', [{ op: 'replace', path: 'userName', value: '' }], 'invalidValue'],
    ['active that is none', [{ op: 'replace', path: 'active', value: 'no' }], 'invalidValue'],
    [
      'emails through __proto__',
      [{ op: 'replace', value: JSON.parse('{"__proto__":{"active":false}}') }],
      'invalidPath',
    ],
  ];
  test.each(table)('%s', (_what, operations, expected) => {
    const found = outcomeOf(() => patched(...operations));
    expect(found).toEqual(typeof expected === 'string' ? expected : { ...LIN, ...expected });
  });
});

describe('a change of a group', () => {
  const GROUP = readGroup({ displayName: 'platform', members: [{ value: 'a' }, { value: 'b' }] });
  const table: [string, object, readonly string[]][] = [
    ['adds', { op: 'Add', path: 'members', value: [{ value: 'c' }, { value: 'a' }] }, ['a', 'b', 'c']],
    ['adds without a path', { op: 'add', value: { members: [{ value: 'c' }] } }, ['a', 'b', 'c']],
    ['removes by a filter', { op: 'remove', path: 'members[value eq "a"]' }, ['b']],
    ['removes by the value', { op: 'Remove', path: 'members', value: [{ value: 'b' }] }, ['a']],
    ['removes none of an empty list', { op: 'remove', path: 'members', value: [] }, ['a', 'b']],
    ['removes all', { op: 'remove', path: 'members' }, []],
    ['replaces', { op: 'replace', path: 'members', value: [{ value: 'c' }] }, ['c']],
    [
      'of the name only, with the id beside it',
      { op: 'replace', value: { id: '1', displayName: 'x' } },
      ['a', 'b'],
    ],
  ];
  test.each(table)('%s', (_what, operation, members) => {
    expect(patchGroup(GROUP, readPatch({ Operations: [operation] })).members).toEqual(members);
  });
});

test('the address is the primary one, else that of work, else the first, else the user name', () => {
  const of = (emails: readonly object[]) => emailOf(readUser({ userName: 'u@e.c', emails }));
  expect(of([{ value: 'a@e.c' }, { value: 'w@e.c', type: 'work' }, { value: 'p@e.c', primary: true }])).toBe(
    'p@e.c',
  );
  expect(of([{ value: 'a@e.c' }, { value: 'w@e.c', type: 'work' }])).toBe('w@e.c');
  expect(of([{ value: 'a@e.c' }])).toBe('a@e.c');
  expect(of([])).toBe('u@e.c');
  expect(outcomeOf(() => emailOf(readUser({ userName: 'lin' })))).toBe('invalidValue');
});

describe('anything', () => {
  const words = fc.constantFrom(
    'userName',
    'eq',
    'and',
    '"a"',
    '[',
    ']',
    '.value',
    '(',
    ' ',
    '"',
    '\\',
    'true',
    'emails',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(words).map((list) => list.join(' ')),
  );
  const path = fc.oneof(
    text,
    fc.constantFrom(
      'emails[type eq "work"].value',
      'members[value eq "a"]',
      'name',
      'active',
      'emails',
      '__proto__',
      'constructor',
    ),
  );
  const operation = fc.record(
    { op: fc.constantFrom('add', 'Replace', 'REMOVE', 'x', 1), path, value: fc.jsonValue() },
    { requiredKeys: [] },
  );
  const only = (work: () => unknown) => {
    const outcome = outcomeOf(() => {
      work();
      return 'read';
    });
    expect([
      'read',
      'invalidFilter',
      'invalidPath',
      'invalidSyntax',
      'invalidValue',
      'mutability',
      'noTarget',
    ]).toContain(String(outcome));
  };

  test('as a filter is read or refused', () => {
    fc.assert(
      fc.property(text, (filter) => only(() => readFilter(filter))),
      { numRuns: 300 },
    );
  });

  test('as a change of a user or a group is applied or refused', () => {
    const group = { displayName: 'g', externalId: undefined, members: ['a'] };
    fc.assert(
      fc.property(fc.oneof(fc.array(operation), fc.jsonValue()), (operations) => {
        const body = { Operations: operations };
        only(() => userDocument(readUser(patchUser(userDocument(LIN), readPatch(body)))));
        only(() => patchGroup(group, readPatch(body)));
        only(() => readUser(operations));
        only(() => readGroup(operations));
      }),
      { numRuns: 300 },
    );
  });
});
