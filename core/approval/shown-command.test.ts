import { describe, expect, test } from 'bun:test';
import type { Argument } from '../endpoint/definition.ts';
import { commandText, shownCommand, shownValues } from './shown-command.ts';

function argument(name: string, more: Partial<Argument> = {}): Argument {
  return { name, required: false, type: 'text', inferred: true, secret: false, allowDash: false, ...more };
}

const ENDPOINT = {
  command: 'deploy --to {{where}} --tag={{tag}} {{note}} --key $svc:KEY --pin "{{pin}}" {{other}}',
  args: [
    argument('where'),
    argument('tag', { default: 'latest' }),
    argument('note'),
    argument('pin', { secret: true }),
  ],
};

describe('the shown command', () => {
  test('has values in their places, defaults too, secrets by name; what is no argument is text', () => {
    expect(shownCommand(ENDPOINT, { where: 'eu', pin: null })).toEqual([
      { kind: 'text', text: 'deploy --to ' },
      { kind: 'value', name: 'where', text: 'eu' },
      { kind: 'text', text: ' --tag=' },
      { kind: 'value', name: 'tag', text: 'latest' },
      { kind: 'text', text: ' ' },
      { kind: 'absent', name: 'note' },
      { kind: 'text', text: ' --key ' },
      { kind: 'secret', name: 'KEY' },
      { kind: 'text', text: ' --pin "' },
      { kind: 'secret', name: 'pin' },
      { kind: 'text', text: '" {{other}}' },
    ]);
  });

  test('a value like a placeholder or a secret is shown as a value', () => {
    const parts = shownCommand(ENDPOINT, { where: '{{tag}} $svc:KEY', pin: null });
    expect(parts[1]).toEqual({ kind: 'value', name: 'where', text: '{{tag}} $svc:KEY' });
  });

  test('never shows a secret, not even its default', () => {
    const args = [argument('pin', { secret: true, default: '1234' })];
    expect(shownValues({ args }, {})).toEqual([{ kind: 'secret', name: 'pin' }]);
  });

  test('as plain text names invisible characters, and shortens a value of 10 KB so that the rest stays visible', () => {
    const text = commandText(
      shownCommand(ENDPOINT, { where: `eu\n${'x'.repeat(10_000)}`, tag: '\u202Egnp', pin: null }),
    );
    expect(text).toContain('eu‹\\n›x');
    expect(text).toContain(` characters more›${'x'.repeat(50)} --tag=‹U+202E›gnp`);
    expect(text).toContain('--key ‹secret KEY› --pin "‹secret pin›"');
    expect(text.length).toBeLessThan(500);
  });
});
