import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { SealedFor } from '../world.ts';
import { EnvelopeVault } from './envelope-vault.ts';

const KEY = new Uint8Array(32).fill(7);
const NEW_KEY = new Uint8Array(32).fill(8);
const OWNER: SealedFor = { workspaceId: 'w1', kind: 'secret', id: 's1' };
const vault = new EnvelopeVault(KEY);

const anyOwner = fc.record({
  workspaceId: fc.string(),
  kind: fc.constantFrom('arguments' as const, 'secret' as const),
  id: fc.string(),
});

/** The parts of GCM and base64url, one at a time. */
const ALPHABET = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.='];

describe('a sealed value', () => {
  test('opens to the original value, for any value and owner', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), anyOwner, (plain, owner) => {
        expect(vault.open(vault.seal(plain, owner), owner)).toBe(plain);
      }),
    );
  });

  test('opens only for its owner: no other workspace, kind or id', () => {
    fc.assert(
      fc.property(anyOwner, anyOwner, (owner, other) => {
        fc.pre(JSON.stringify(owner) !== JSON.stringify(other));
        const sealed = vault.seal('x', owner);
        expect(() => vault.open(sealed, other)).toThrow('belongs to something else');
      }),
    );
    const others: Partial<SealedFor>[] = [{ workspaceId: 'w2' }, { kind: 'arguments' }, { id: 's2' }];
    for (const other of others)
      expect(() => vault.open(vault.seal('x', OWNER), { ...OWNER, ...other })).toThrow(
        'belongs to something else',
      );
    const sealed = vault.seal('x', { ...OWNER, workspaceId: 'a', id: 'bc' });
    expect(() => vault.open(sealed, { ...OWNER, workspaceId: 'ab', id: 'c' })).toThrow();
  });

  test('does not open after any character was changed, removed or repeated', () => {
    const sealed = vault.seal('the value', OWNER);
    for (let at = 0; at < sealed.length; at += 1) {
      const [before, after] = [sealed.slice(0, at), sealed.slice(at + 1)];
      const others = ALPHABET.filter((character) => character !== sealed[at]);
      for (const other of [...others, '', `${sealed[at]}${sealed[at]}`])
        expect(() => vault.open(before + other + after, OWNER)).toThrow();
    }
  });

  test('reveals nothing of the value, and differs each time', () => {
    const texts = Array.from({ length: 50 }, () => vault.seal('hunter2-hunter2', OWNER));
    const parts = texts.flatMap((text) => text.split('.').slice(2));
    expect(new Set(parts).size).toBe(100);
    for (const part of parts) expect(Buffer.from(part, 'base64url').includes('hunter2')).toBe(false);
  });

  test.each(['', 'plain', 'v1.', 'v2.0123456789abcdef.AAAA.AAAA', 'v1.0123456789abcdef.AAAA.AAAA'])(
    'is not just any text: %p',
    (text) => {
      expect(() => vault.open(text, OWNER)).toThrow('no sealed value');
    },
  );

  test('cannot be combined from two: a data key opens only its own value', () => {
    const [one, other] = [vault.seal('one', OWNER), vault.seal('other', OWNER)].map((text) =>
      text.split('.'),
    );
    const mixed = [...(one?.slice(0, 3) ?? []), other?.[3]].join('.');
    expect(() => vault.open(mixed, OWNER)).toThrow('was changed');
  });
});

describe('another master key', () => {
  const renewed = new EnvelopeVault(NEW_KEY, [KEY]);

  test('opens values of the older key while that is available', () => {
    const sealed = vault.seal('old', OWNER);
    expect(renewed.open(sealed, OWNER)).toBe('old');
    expect(() => new EnvelopeVault(NEW_KEY).open(sealed, OWNER)).toThrow('another master key');
  });

  test('seals only with itself', () => {
    expect(() => vault.open(renewed.seal('new', OWNER), OWNER)).toThrow('another master key');
  });

  test('rewraps a sealed value without opening it', () => {
    const sealed = vault.seal('kept', OWNER);
    const rewrapped = renewed.rewrap(sealed);
    expect(new EnvelopeVault(NEW_KEY).open(rewrapped, OWNER)).toBe('kept');
    expect(rewrapped.split('.')[3]).toBe(sealed.split('.')[3] ?? '');
    expect(renewed.rewrap(rewrapped)).toBe(rewrapped);
    expect(() => renewed.open(rewrapped, { ...OWNER, id: 's2' })).toThrow('belongs to something else');
  });

  test('does not rewrap a changed text', () => {
    const [version, id, wrapped, value] = vault.seal('kept', OWNER).split('.');
    const other = `${wrapped?.startsWith('A') ? 'B' : 'A'}${wrapped?.slice(1)}`;
    expect(() => renewed.rewrap([version, id, other, value].join('.'))).toThrow('was changed');
  });
});
