import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { runs } from '../../test/effort.ts';
import { endpointFile, endpointsOf, problemsOf } from './fixtures/svc-yaml.ts';
import { parseConfig } from './parse-config.ts';

describe('limits', () => {
  test('a file of one mebibyte is read, and one byte more is not', () => {
    const yaml = endpointFile();
    const full = yaml + '#'.repeat(1_048_576 - yaml.length);
    expect(endpointsOf(full)).toHaveLength(1);
    expect(problemsOf(`${full}#`)).toEqual(['1:1 the file is larger than 1048576 bytes']);
    expect(problemsOf('é'.repeat(524_289))).toEqual(['1:1 the file is larger than 1048576 bytes']);
  });

  test('files made to exhaust the reader are answered, with problems', () => {
    const size = 50_000;
    const hostile = [
      '['.repeat(size),
      '{a: '.repeat(size / 4),
      '- '.repeat(size / 2),
      ','.repeat(size),
      '&a '.repeat(size / 3),
      `a: [${'*a,'.repeat(size / 3)}`,
      Array.from({ length: size / 10 }, (_, n) => `k${n}: 1`).join('\n'),
      `version: 1\nendpoints: [${'x,'.repeat(size / 3)}]`,
      `version: 1\nendpoints: [${'{name: a},'.repeat(size / 20)}]`,
      `version: 1\nendpoints: [{name: a, args: [{name: b}], command: "eval ${'{{b}} '.repeat(size / 8)}"}]`,
      `${'-'.repeat(size)}: *`,
      `a: "${' '.repeat(size)}\n"b`,
    ];
    for (const text of hostile) expect(problemsOf(text).length).toBeGreaterThan(0);
  }, 60_000);
});

describe('for any text', () => {
  const SAMPLE = endpointFile(
    'args:',
    '  - name: a',
    '    default: 1',
    '  - {name: b, choices: [x, "y"], required: true}',
    'schedule: "*/5 1-3 * * 0"',
    'env: {A: &v 1, B: *v}',
    'transform:',
    '  parse: regex',
    "  pattern: '(?<x>a)'",
  );
  const spliced = fc
    .array(
      fc.tuple(
        fc.nat(SAMPLE.length),
        fc.nat(12),
        fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('\n', ': ', '*a', '{{a}}', '- ', '"')),
      ),
      { maxLength: 4 },
    )
    .map((edits) =>
      edits.reduce((text, [at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut), SAMPLE),
    );
  const structured = fc
    .record({
      version: fc.constantFrom(1, 2, '1', null),
      endpoints: fc.oneof(
        fc.anything({ maxDepth: 3 }),
        fc.array(
          fc.dictionary(
            fc.constantFrom(
              'name',
              'command',
              'args',
              'timeout',
              'schedule',
              'env',
              'transform',
              'zzz',
              '__proto__',
            ),
            fc.oneof(fc.jsonValue(), fc.constantFrom('x', 'echo {{a}}', '* * * * *')),
          ),
        ),
      ),
    })
    .map(
      (value) =>
        JSON.stringify(value, (_key, inner: unknown) =>
          typeof inner === 'bigint' ? String(inner) : inner,
        ) ?? '',
    );

  test('the answer is a config or problems inside the text, and never an exception', () => {
    fc.assert(
      fc.property(fc.oneof(spliced, structured, fc.string({ unit: 'binary' })), (text) => {
        const parsed = parseConfig(text);
        const lines = text
          .replace(/^\uFEFF/, '')
          .replaceAll('\r\n', '\n')
          .split('\n');
        const reported = parsed.kind === 'problems' ? parsed.problems : parsed.warnings;
        if (parsed.kind === 'problems') expect(reported.length).toBeGreaterThan(0);
        for (const { line, column, message } of reported) {
          expect(line >= 1 && column >= 1 && line <= lines.length).toBe(true);
          expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
          // The longest one names all keys of an endpoint.
          expect(message.length).toBeLessThan(500);
        }
      }),
      { numRuns: runs(1_000) },
    );
  }, 30_000);
});
