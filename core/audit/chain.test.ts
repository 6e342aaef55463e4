import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AUDIT_ACTION_NAMES } from './actions.ts';
import { auditText, CHAIN_START, type ChainEnd, linkProblem, type StoredLink } from './chain.ts';
import { AUDIT_ACTOR_KINDS, AUDIT_TARGET_KINDS, type AuditEntry } from './entry.ts';
import { parseAuditRecord } from './wire-record.ts';

/** A short stand-in for a hash; the hub has the real one. */
const digest = (text: string) => {
  let [a, b] = [0x811c9dc5, 0];
  for (const character of text) {
    a = Math.imul(a ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    b = (Math.imul(b, 31) + a) >>> 0;
  }
  return (a.toString(16).padStart(8, '0') + b.toString(16).padStart(8, '0')).repeat(4);
};

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }));
const anyEntry: fc.Arbitrary<AuditEntry> = fc.record({
  workspaceId: text,
  atMs: fc.integer({ min: 0, max: 4e12 }),
  action: fc.constantFrom(...AUDIT_ACTION_NAMES),
  actor: fc.record({
    kind: fc.constantFrom(...AUDIT_ACTOR_KINDS),
    id: fc.option(text, { nil: undefined }),
    name: text,
  }),
  from: fc.record({
    address: fc.option(text, { nil: undefined }),
    userAgent: fc.option(text, { nil: undefined }),
  }),
  target: fc.record({ kind: fc.constantFrom(...AUDIT_TARGET_KINDS), id: text, name: text }),
  details: fc.dictionary(
    fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text)),
    { noNullPrototype: true },
  ),
});

/** The row that an entry becomes behind `end`. */
function linkOf(entry: AuditEntry, end: ChainEnd): StoredLink {
  const hashed = auditText(entry, end);
  const { workspaceId, atMs, action, actor } = entry;
  return {
    seq: end.seq + 1,
    hash: digest(hashed),
    text: hashed,
    workspaceId,
    atMs,
    action,
    actorId: actor.id,
  };
}

function chainOf(entries: readonly AuditEntry[]): StoredLink[] {
  const links: StoredLink[] = [];
  for (const entry of entries) links.push(linkOf(entry, links.at(-1) ?? CHAIN_START));
  return links;
}

function firstProblem(links: readonly StoredLink[]): number | undefined {
  let end: ChainEnd = CHAIN_START;
  for (const link of links) {
    if (linkProblem(end, link, digest) !== undefined) return link.seq;
    end = link;
  }
  return undefined;
}

test('a hashed record is read back as the same entry, whatever its content', () => {
  fc.assert(
    fc.property(anyEntry, (entry) => {
      const hashed = auditText(entry, CHAIN_START);
      expect(parseAuditRecord(hashed, 'h')?.entry).toEqual(entry);
      // No database stumbles over it: neither NUL nor half of a pair stands in it.
      expect([hashed.includes('\0'), hashed.isWellFormed()]).toEqual([false, true]);
    }),
  );
});

test('the order of keys in the details changes nothing', () => {
  const entry = (details: AuditEntry['details']): AuditEntry => ({
    workspaceId: 'w',
    atMs: 1,
    action: 'secret.set',
    actor: { kind: 'member', id: 'u', name: 'ada' },
    from: { address: undefined, userAgent: undefined },
    target: { kind: 'secret', id: 'A', name: 'A' },
    details,
  });
  expect(auditText(entry({ a: 1, b: 2 }), CHAIN_START)).toBe(auditText(entry({ b: 2, a: 1 }), CHAIN_START));
});

describe('a chain', () => {
  const anyChain = fc.array(anyEntry, { minLength: 1, maxLength: 8 }).map(chainOf);

  test('is whole as it was written', () => {
    fc.assert(fc.property(anyChain, (links) => expect(firstProblem(links)).toBeUndefined()));
  });

  test('is broken where one is missing, changed, or has another row than its text', () => {
    fc.assert(
      fc.property(anyChain, fc.nat(), anyEntry, (links, n, other) => {
        const at = n % links.length;
        const link = links[at];
        if (link === undefined) return;
        const replaced = (row: StoredLink) => links.with(at, row);
        expect(firstProblem(replaced({ ...link, text: `${link.text} ` }))).toBe(link.seq);
        expect(firstProblem(replaced({ ...link, atMs: link.atMs + 1 }))).toBe(link.seq);
        expect(firstProblem(replaced({ ...link, actorId: `${link.actorId}x` }))).toBe(link.seq);
        if (at + 1 === links.length) return;
        expect(firstProblem(links.toSpliced(at, 1))).toBe(link.seq + 1);
        const forged = linkOf(other, links[at - 1] ?? CHAIN_START);
        const expected = forged.hash === link.hash ? undefined : link.seq + 1;
        expect(firstProblem(replaced(forged))).toBe(expected);
      }),
    );
  });
});
