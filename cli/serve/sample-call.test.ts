import { expect, test } from 'bun:test';
import { parseConfig } from '@svc/core/config/parse-config';
import { sampleCall } from './sample-call.ts';

const URL = 'http://127.0.0.1:8080';

/** Endpoints `a`, `b` and so on, of one line of YAML each. */
function call(...endpoints: string[]): string | undefined {
  const items = endpoints.map((more, index) => `  - {name: ${'abc'[index]}, ${more}}\n`);
  const parsed = parseConfig(`version: 1\nendpoints:\n${items.join('')}`);
  if (parsed.kind === 'problems') throw new Error(JSON.stringify(parsed.problems));
  return sampleCall(parsed.config.endpoints, URL);
}

test('an endpoint without arguments is called without a query', () => {
  expect(call('command: echo hi')).toBe(`curl -N ${URL}/a`);
  expect(call('command: echo hi, method: POST')).toBe(`curl -N -X POST ${URL}/a`);
});

test('required arguments get invented values, optional ones are left out', () => {
  const args = 'args: [{name: x, required: true}, {name: y, default: "1"}, {name: z}]';
  expect(call(`command: "echo {{x}}", ${args}`)).toBe(`curl -N '${URL}/a?x=hello'`);
});

test('values fit their types, and are quoted for JSON and for the shell', () => {
  const args = `args: [{name: n, type: integer, required: true}, {name: b, type: boolean, required: true}, {name: e, choices: ["it's", "2"], required: true}]`;
  expect(call(`command: "echo {{n}}", method: POST, ${args}`)).toBe(
    `curl -N -H 'Content-Type: application/json' -d '{"n":"1","b":"true","e":"it'\\''s"}' ${URL}/a`,
  );
});

test('an endpoint whose values cannot be made up is passed over', () => {
  const strict = 'command: "echo {{x}}", args: [{name: x, required: true, pattern: "[0-9]{8}"}]';
  expect(call(strict, 'command: echo hi')).toBe(`curl -N ${URL}/b`);
  expect(call(strict)).toBeUndefined();
  expect(sampleCall([], URL)).toBeUndefined();
});
