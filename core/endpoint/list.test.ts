import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { endpointFile, endpointsOf, problemsOf } from '../config/fixtures/svc-yaml.ts';
import { definitionOf, readDefinition } from '../protocol/definition.ts';
import { bind } from './bind.ts';
import type { Endpoint } from './definition.ts';
import { collectValues } from './value/collect-values.ts';

function endpoint(command: string, ...args: string[]): Endpoint {
  const [found] = endpointsOf(fileOf(command, args));
  if (found === undefined) throw new Error('no endpoint');
  return found;
}

const fileOf = (command: string, args: readonly string[]) =>
  endpointFile('args:', ...args.map((line) => `  - ${line}`)).replace(
    'command: echo hi',
    `command: ${JSON.stringify(command)}`,
  );
const problems = (command: string, ...args: string[]) => problemsOf(fileOf(command, args)).join('\n');
const run = (one: Endpoint, body: object) => bind(one, collectValues({ query: [], body }, one.args));
const argv = (one: Endpoint, body: object) => run(one, body).argv.slice(1);

describe('a list', () => {
  const files = endpoint('tool a {{files}} z', '{ name: files, type: list }');

  test('becomes one word per item, in its order', () => {
    expect(argv(files, { files: ['x', 'y', 'x'] })).toEqual(['a', 'x', 'y', 'x', 'z']);
    expect(run(files, { files: ['x', 'y'] }).env.SVC_ARG_FILES).toBe('["x","y"]');
  });

  test('leaves no word when it is absent', () => {
    expect(argv(files, {})).toEqual(['a', 'z']);
    const each = endpoint('tool a --file {{files}}', '{ name: files, type: list, each: true }');
    expect(argv(each, {})).toEqual(['a']);
    expect(argv(each, { files: ['x', 'y'] })).toEqual(['a', '--file', 'x', '--file', 'y']);
  });

  test('is a text, an array, or a name that the query repeats', () => {
    expect(argv(files, { files: 'x' })).toEqual(['a', 'x', 'z']);
    expect(argv(files, { files: '["x", 1.50, true]' })).toEqual(['a', 'x', '1.50', 'true', 'z']);
    expect(argv(files, { files: 7 })).toEqual(['a', '7', 'z']);
    const query = (...pairs: [string, string][]) =>
      bind(files, collectValues({ query: pairs, body: undefined }, files.args)).argv;
    expect(query(['files', 'x'], ['files', 'y'])).toEqual(['tool', 'a', 'x', 'y', 'z']);
  });

  test.each<[string, unknown, string]>([
    ['an item of another type', ['x', '-rf'], 'item 2: "-rf" is not a word'],
    ['an item with a NUL', ['a\0b'], 'item 1: a NUL character'],
    ['no item', [], 'at least one item'],
    ['too many items', Array.from({ length: 101 }, () => 'a'), '101 items are too many: at most 100'],
    ['an item that is a list', [['a']], 'item 1: a string, a number or a boolean is expected'],
    ['null as an item', [null], 'item 1: a string, a number or a boolean is expected, not null'],
    ['an object', { a: 1 }, 'not an object'],
    ['a text that is no JSON list', '["a"', 'no JSON list'],
    ['a text with more behind the list', '["a"] b', 'no JSON list'],
    ['a number that is not exact', [2 ** 60], 'item 1: the number is too large'],
  ])('refuses %s', (_, value, message) => {
    expect(() => run(files, { files: value })).toThrow(message);
  });

  test('is refused where the argument is not a list', () => {
    const one = endpoint('tool {{x}}', '{ name: x, type: text }');
    expect(() => run(one, { x: ['a'] })).toThrow('not an array');
    const query = [
      ['x', 'a'],
      ['x', 'b'],
    ] as const;
    expect(() => collectValues({ query, body: undefined }, one.args)).toThrow('given twice');
  });

  test('has a limit on its size beside that on its count', () => {
    const many = endpoint('tool {{x}}', '{ name: x, type: list, items: text, max_items: 1000 }');
    expect(() => run(many, { x: Array.from({ length: 1000 }, () => 'a'.repeat(66)) })).toThrow('65536');
    // Control characters take six bytes in JSON.
    expect(() => run(many, { x: '\u0001'.repeat(20_000) })).toThrow('65536 bytes as JSON text');
  });

  test('checks each item by the rules of its type', () => {
    const urls = endpoint('tool {{x}}', '{ name: x, type: list, items: url, hosts: [a.test] }');
    expect(argv(urls, { x: ['https://A.test', 'http://a.test/b/../c'] })).toEqual([
      'https://a.test/',
      'http://a.test/c',
    ]);
    expect(() => run(urls, { x: ['https://a.test/', 'https://b.test/'] })).toThrow('item 2:');
    const some = endpoint('tool {{x}}', '{ name: x, type: list, choices: [a, b] }');
    expect(some.args[0]?.items).toBe('enum');
    expect(() => run(some, { x: ['a', 'c'] })).toThrow('item 2: "c" is not one of a, b');
    const dashed = endpoint('tool {{x}}', '{ name: x, type: list, items: integer }');
    expect(() => run(dashed, { x: ['1', '-2'] })).toThrow('begins with "-"');
    expect(argv(endpoint('tool -- {{x}}', '{ name: x, type: list, items: integer }'), { x: [-2] })).toEqual([
      '--',
      '-2',
    ]);
  });

  test('stays plain words whatever its items are', () => {
    const texts = endpoint(
      './own.sh a --file {{x}} -- {{y}} {{z}} b',
      '{ name: x, type: list, items: text, each: true, allow_dash: true }',
      '{ name: y, type: list, items: text }',
      '{ name: z, type: text }',
    );
    const item = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '$(id)',
        '`id`',
        '; id',
        '[',
        '["a"]',
        '{{x}}',
        '{{z}}',
        '$svc:A',
        '-rf',
        "'",
        '"',
        '\\',
        '\n',
        '',
      ),
    );
    const items = fc.array(item, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(items, items, (x, y) => {
        fc.pre([...x, ...y].every((text) => !text.includes('\0') && text.isWellFormed()));
        const bound = run(texts, { x, y });
        expect(bound.argv).toEqual([
          './own.sh',
          'a',
          ...x.flatMap((one) => ['--file', one]),
          '--',
          ...y,
          'b',
        ]);
        expect(JSON.parse(bound.env.SVC_ARG_X ?? '')).toEqual(x);
      }),
    );
  });

  test('has a default, and survives its wire form', () => {
    const one = endpoint(
      'tool {{x}}',
      '{ name: x, type: list, items: number, max_items: 3, default: [1.50, 2] }',
    );
    expect(argv(one, {})).toEqual(['1.50', '2']);
    expect(readDefinition(JSON.parse(JSON.stringify(definitionOf(one))))).toEqual({
      kind: 'endpoint',
      endpoint: one,
    });
    const some = endpoint('tool {{x}}', '{ name: x, type: list, choices: [a, b] }');
    expect(readDefinition(JSON.parse(JSON.stringify(definitionOf(some))))).toEqual({
      kind: 'endpoint',
      endpoint: some,
    });
    expect(problems('tool {{x}}', '{ name: x, type: list, default: [a b] }')).toContain(
      'item 1: "a b" is not a word',
    );
    expect(problems('tool {{x}}', '{ name: x, default: [a] }')).toContain(
      'a list is a default for "type: list"',
    );
  });
});

describe('a definition is refused where a list', () => {
  const list = '{ name: x, type: list }';
  test.each<[string, string, string, string]>([
    ['is in a text for a shell', 'tool {{x}} | cat', list, 'only a command without shell syntax'],
    ['is part of a word', 'tool --file={{x}}', list, 'a word of its own'],
    ['chooses the program', '{{x}} a', list, 'would choose what runs'],
    ['has nothing before it to repeat', 'tool {{x}}', '{ name: x, type: list, each: true }', 'a fixed word'],
    ['repeats a value', 'tool {{y}} {{x}}', '{ name: x, type: list, each: true }', 'a fixed word'],
    ['moves a second item to the place of a program', 'timeout {{x}} ls', list, 'would'],
    ['becomes a program', 'sh -c {{x}}', list, 'would become part of a program'],
    ['is a text behind a shell', 'ssh host ls {{x}}', '{ name: x, type: list, items: text }', 'ssh'],
    ['is secret', 'tool', '{ name: x, type: list, secret: true }', 'cannot be secret'],
    ['has no choices', 'tool {{x}}', '{ name: x, type: list, items: enum }', '"items: enum" needs choices'],
    ['is none', 'tool {{x}}', '{ name: x, items: word }', 'items needs "type: list"'],
    ['is none and has a limit', 'tool {{x}}', '{ name: x, max_items: 3 }', 'max_items needs "type: list"'],
    ['has lists', 'tool {{x}}', '{ name: x, type: list, items: list }', 'word, integer'],
    [
      'has a key of another type',
      'tool {{x}}',
      '{ name: x, type: list, root: a }',
      'root needs "type: path"',
    ],
  ])('%s', (_, command, argument, message) => {
    const others = command.includes('{{y}}') ? ['{ name: y }'] : [];
    expect(problems(command, argument, ...others)).toContain(message);
  });

  test('and a word is accepted where a list is not', () => {
    expect(problems('timeout {{x}} ls', '{ name: x, type: word, required: true }')).toBe('');
  });

  test('and a list may be in the environment of a shell text', () => {
    const one = endpoint('printf "%s" "$SVC_ARG_X" | jq length', '{ name: x, type: list, items: text }');
    expect(run(one, { x: ['a b', '$(id)'] }).env.SVC_ARG_X).toBe('["a b","$(id)"]');
    expect(problems('sh -c "$SVC_ARG_X"', list)).not.toBe('');
  });
});
