import { expect, test } from 'bun:test';
import { answerFormat, wantsRaw } from './answer-format.ts';

const buffered = [
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json, text/plain, */*',
  'text/plain, application/json;q=0.5',
  'text/event-stream;q=0.5, application/json',
  'application/json, text/event-stream',
];
test.each(buffered)('%s asks for one JSON body', (accept) => {
  expect(answerFormat(accept)).toBe('buffered');
});

const events = [
  null,
  '',
  '*/*',
  'text/event-stream',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'application/*',
  'application/json;q=0',
  'application/json-seq',
  'application/jsonp, application/vnd.api+json',
  'text/event-stream, application/json',
  'application/json;q=0.2, text/event-stream;q=0.3',
];
test.each(events)('%s asks for events', (accept) => {
  expect(answerFormat(accept)).toBe('events');
});

test.each([
  [null, 'image/png', true],
  ['*/*', 'image/png', true],
  ['image/avif,image/*,*/*;q=0.8', 'image/png', true],
  ['text/html,application/xml;q=0.9,*/*;q=0.8', 'application/pdf', true],
  ['application/json', 'image/png', false],
  ['text/event-stream', 'image/png', false],
  ['application/json, image/png', 'image/png', true],
  ['application/json, image/png;q=0.5', 'image/png', false],
  ['application/json', 'application/json; charset=utf-8', true],
  ['text/event-stream', 'application/json', false],
])('%s asks of raw %s for its bytes: %p', (accept, type, isRaw) => {
  expect(wantsRaw(accept, type)).toBe(isRaw);
});
