import { expect, test } from 'bun:test';
import { accountKey, keptSettings } from './kept-settings.ts';

test('a sign-out keeps the settings of the browser and those of accounts, and nothing else', () => {
  const stored = new Map([
    ['svc.theme', 'dark'],
    [accountKey('1', 'views.acme'), '[]'],
    [accountKey('2', 'starred.acme'), '["deploy"]'],
    ['svc.recent.acme', '[]'],
    ['svc.draft.acme.new-endpoint', '{}'],
    ['svc.themes', 'x'],
  ]);
  const keys = [...stored.keys()];
  const store = {
    length: keys.length,
    key: (place: number) => keys[place] ?? null,
    getItem: (key: string) => stored.get(key) ?? null,
  };
  expect(keptSettings(store)).toEqual([...stored].slice(0, 3));
});
