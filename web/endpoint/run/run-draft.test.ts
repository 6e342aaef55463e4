import { expect, test } from 'bun:test';
import type { WireArgument } from '../wire-endpoint.ts';
import { runDraft, valuesOfDraft } from './run-draft.ts';

const argument = (name: string, secret = false) => ({ name, secret }) as WireArgument;

test('a draft has no value of a secret argument', () => {
  const args = [argument('version'), argument('password', true)];
  const values = new Map([
    ['version', 'v2'],
    ['password', 'correct horse'],
  ]);
  expect(runDraft({ args }, values)).toEqual({ version: 'v2' });
});

test('values of arguments that are gone, or secret by now, are left out', () => {
  const args = [argument('version'), argument('token', true)];
  const draft = { version: 'v2', token: 'x', region: 'eu' };
  expect([...valuesOfDraft({ args }, draft)]).toEqual([['version', 'v2']]);
  expect(valuesOfDraft({ args }, undefined).size).toBe(0);
});
