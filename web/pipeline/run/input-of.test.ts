import { expect, test } from 'bun:test';
import { inputOfTexts } from './input-of.ts';

const FIELDS = [
  { name: 'ref', type: 'string', required: true },
  { name: 'count', type: 'number', required: false },
  { name: 'dry', type: 'boolean', required: false },
  { name: 'body', type: 'object', required: false },
] as const;

test('texts become values of the types that the trigger declares; what is empty is left out', () => {
  const { input, problems } = inputOfTexts(FIELDS, {
    ref: '12',
    count: '12',
    dry: 'false',
    body: '{"a": [1]}',
  });
  expect(input).toEqual({ ref: '12', count: 12, dry: false, body: { a: [1] } });
  expect(problems.size).toBe(0);
  expect(inputOfTexts(FIELDS, { ref: 'x', count: '' }).input).toEqual({ ref: 'x' });
});

test('a value of the wrong type is reported at its field', () => {
  const { problems } = inputOfTexts(FIELDS, { count: 'twelve', dry: '1', body: '[1]' });
  expect(Object.fromEntries(problems)).toEqual({
    ref: 'Required',
    count: 'Enter a number.',
    dry: 'Enter true or false.',
    body: 'Enter a JSON object, such as {"a": 1}.',
  });
});

test('a field that nothing was typed into is empty, whatever it is called', () => {
  const field = { name: 'constructor', type: 'string', required: true } as const;
  expect(inputOfTexts([field], {}).problems.get('constructor')).toBe('Required');
  expect(inputOfTexts([field], { constructor: 'x' }).input).toEqual({ constructor: 'x' });
});
