import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { JsonValue } from '../reference/json-value.ts';
import { checkInput } from './check-input.ts';
import { INPUT_TYPES, type InputField, type InputType } from './input-field.ts';

const field = (name: string, type: InputType, required = false): InputField => ({ name, type, required });

const FIELDS = [
  field('ref', 'string', true),
  field('count', 'number'),
  field('draft', 'boolean'),
  field('commit', 'object', true),
  field('files', 'array'),
];

test('the declared fields are the input; what is beyond them is ignored, null is absent', () => {
  const body = { ref: '', count: 0, draft: null, commit: { id: '$(id)' }, files: ['a', { b: 1 }], more: 1 };
  expect(checkInput(FIELDS, body)).toEqual({
    kind: 'input',
    input: { ref: '', count: 0, commit: { id: '$(id)' }, files: ['a', { b: 1 }] },
  });
});

test('every wrong field is in one answer', () => {
  expect(checkInput(FIELDS, { ref: null, count: '1', draft: 0, commit: [], files: {} })).toEqual({
    kind: 'problems',
    problems: [
      { path: ['ref'], message: 'it is required: a string expected' },
      { path: ['count'], message: 'a number expected, not a string' },
      { path: ['draft'], message: 'true or false expected, not a number' },
      { path: ['commit'], message: 'an object expected, not a list' },
      { path: ['files'], message: 'a list expected, not an object' },
    ],
  });
});

test.each<[JsonValue, string]>([
  [null, 'null'],
  [[], 'a list'],
  ['x', 'a string'],
  [1, 'a number'],
  [true, 'true or false'],
])('the body %j is no object', (body, shown) => {
  expect(checkInput([], body)).toEqual({
    kind: 'problems',
    problems: [{ path: [], message: `an object expected, not ${shown}` }],
  });
});

test('a number that was rounded when it was read is refused', () => {
  const checked = (text: string) => checkInput([field('n', 'number')], JSON.parse(text)).kind;
  expect(checked('{"n": 9007199254740991}')).toBe('input');
  expect(checked('{"n": 9007199254740993}')).toBe('problems');
  expect(checked('{"n": 1e400}')).toBe('problems');
  expect(checked('{"n": 0.1}')).toBe('input');
});

test('names of Object.prototype are fields like others', () => {
  const fields = [field('constructor', 'string'), field('__proto__', 'object')];
  expect(checkInput(fields, {})).toEqual({ kind: 'input', input: {} });
  const checked = checkInput(fields, JSON.parse('{"__proto__": {"a": 1}, "constructor": "c"}'));
  expect(checked.kind === 'input' && Object.keys(checked.input)).toEqual(['constructor', '__proto__']);
});

test('the input has only the declared types and unchanged values, whatever is sent', () => {
  const types = fc.constantFrom(...INPUT_TYPES);
  fc.assert(
    fc.property(
      fc.array(types, { maxLength: 4 }),
      fc.array(fc.jsonValue(), { maxLength: 5 }),
      (declared, sent) => {
        const fields = declared.map((type, index) => field(`f${index}`, type));
        const body = Object.fromEntries(sent.map((value, index) => [`f${index}`, value as JsonValue]));
        const checked = checkInput(fields, body);
        if (checked.kind === 'problems') return;
        for (const { name, type } of fields) {
          if (!Object.hasOwn(checked.input, name)) continue;
          const value = checked.input[name];
          expect(Array.isArray(value) ? 'array' : typeof value).toBe(type);
          expect(checked.input[name]).toBe(body[name] as never);
        }
      },
    ),
  );
});
