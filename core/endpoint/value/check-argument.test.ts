import { expect, test } from 'bun:test';
import type { Argument } from '../definition.ts';
import { checkArgumentDefinition } from './check-argument.ts';

const argument = (more: Partial<Argument> = {}): Argument => ({
  name: 'x',
  required: false,
  type: 'text',
  inferred: false,
  secret: false,
  allowDash: false,
  ...more,
});

test.each<Partial<Argument>>([
  {},
  { default: 'main' },
  { type: 'enum', choices: ['a', 'b'], default: 'b' },
  { type: 'integer', default: '3' },
  { pattern: '[a-z]{1,10}', maxLength: 10, default: 'abc' },
  { type: 'path', root: '/srv', default: 'a b' },
  { type: 'url', schemes: ['ftp'], hosts: ['*.example.com'], default: 'ftp://a.example.com/x' },
])('%j is a definition', (more) => {
  expect(checkArgumentDefinition(argument(more))).toEqual([]);
});

test.each<[Partial<Argument>, object]>([
  [{ name: '1x' }, { key: 'name' }],
  [{ type: 'enum' }, { key: 'type', message: expect.stringContaining('needs choices') }],
  [{ type: 'enum', choices: [] }, { key: 'type' }],
  [
    { type: 'enum', choices: ['a', 'a'] },
    { key: 'choices', message: '"a" is listed twice' },
  ],
  [
    { type: 'file', default: 'x' },
    { key: 'default', message: expect.stringContaining('takes a file') },
  ],
  [
    { type: 'file', secret: true },
    { key: 'secret', message: expect.stringContaining('cannot be secret') },
  ],
  [{ accept: ['image/png'] }, { key: 'accept', message: 'accept needs "type: file", not "type: text"' }],
  [{ choices: ['a'] }, { key: 'choices', message: expect.stringContaining('type: enum') }],
  [
    { type: 'text', root: 'x' },
    { key: 'root', message: 'root needs "type: path", not "type: text"' },
  ],
  [
    { type: 'path', hosts: ['x'] },
    { key: 'hosts', message: 'hosts needs "type: url", not "type: path"' },
  ],
  [{ schemes: ['x'] }, { key: 'schemes' }],
  [
    { type: 'word', default: 'a b' },
    { key: 'default', message: expect.stringContaining('"a b" is not a word') },
  ],
  [
    { type: 'url', default: 'ftp://x' },
    { key: 'default', message: expect.stringContaining('schemes: [') },
  ],
  [{ maxLength: -1 }, { key: 'maxLength' }],
  [{ maxLength: 1.5 }, { key: 'maxLength' }],
  [{ pattern: 'a(?=b)' }, { key: 'pattern', offset: 1 }],
  [
    { type: 'integer', default: 'three' },
    { key: 'default', message: '"three" is not an integer, as in 42' },
  ],
  [{ pattern: '[a-z]+', default: 'A' }, { key: 'default' }],
  [{ type: 'enum', choices: ['a'], default: 'b' }, { key: 'default' }],
])('%j is refused', (more, problem) => {
  expect(checkArgumentDefinition(argument(more))).toMatchObject([problem]);
});

test('keys without the type that they are about say which one', () => {
  const problems = checkArgumentDefinition({ ...argument({ root: 'x', hosts: ['y'] }), type: undefined });
  expect(problems.map(({ message }) => message)).toEqual([
    'root needs "type: path" beside it',
    'hosts needs "type: url" beside it',
  ]);
});

test('all that is wrong is listed', () => {
  const problems = checkArgumentDefinition(argument({ name: '', type: 'enum', pattern: '(', maxLength: -1 }));
  expect(problems.map((problem) => problem.key)).toEqual(['name', 'type', 'maxLength', 'pattern']);
});
