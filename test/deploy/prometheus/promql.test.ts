import { expect, test } from 'bun:test';
import { readPromql } from './promql.ts';

test('finds every metric, every matcher and every label that is grouped by', () => {
  const read = readPromql(
    'histogram_quantile(0.9, sum by (le, state) (rate(a_bucket{x="1", y=~"2.."}[$__rate_interval]))) / on (job) b offset 5m',
  );
  expect(read.selectors).toEqual([
    {
      metric: 'a_bucket',
      matchers: [
        { label: 'x', operator: '=', value: '1' },
        { label: 'y', operator: '=~', value: '2..' },
      ],
    },
    { metric: 'b', matchers: [] },
  ]);
  expect(read.grouped).toEqual(['le', 'state', 'job']);
});

test.each(['sum(rate(a[5m])', 'a{x=1}', 'rate(a[])', 'a b', 'sum by le (a)'])('%s is none', (text) => {
  expect(() => readPromql(text)).toThrow('no PromQL');
});
