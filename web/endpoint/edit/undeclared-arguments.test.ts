import { describe, expect, test } from 'bun:test';
import { NEW_ARGUMENT } from './endpoint-draft.ts';
import { undeclaredArguments } from './undeclared-arguments.ts';

const offered = (command: string, args = [] as readonly string[]) =>
  undeclaredArguments({ command, args: args.map((name) => ({ ...NEW_ARGUMENT, name })) }).map(
    ({ argument, type }) => [argument.name, argument.type, type],
  );

describe('placeholders without an argument', () => {
  test('are offered in order, once, without those that are declared', () => {
    expect(offered('ping {{host}} {{note}} {{host}} {{known}}', ['known']).map(([name]) => name)).toEqual([
      'host',
      'note',
    ]);
  });

  test('get the type that their name says, where the command takes it', () => {
    expect(offered('head -n {{lines}} app.log')).toEqual([['lines', 'integer', 'integer']]);
    expect(offered('curl {{page-url}}')).toEqual([['page-url', 'url', 'url']]);
    expect(offered('git checkout {{branch}}')).toEqual([['branch', 'ref', 'ref']]);
  });

  test('else the one that their place in the command gives', () => {
    const [[, typed, type] = []] = offered('echo {{words}}');
    expect(typed).toBe('');
    expect(['word', 'text']).toContain(type ?? '');
  });

  test('have no type where no value may stand', () => {
    expect(offered('eval {{script}}')).toEqual([['script', '', undefined]]);
  });
});
