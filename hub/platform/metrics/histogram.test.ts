import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { readExposition, sampleOf } from '../../../test/metrics/exposition.ts';
import { histogram, histogramOfEach } from './histogram.ts';

const FACTS = { name: 'wait_seconds', help: 'How long', buckets: [0.1, 0.5, 2] };

const read = async (registry: Registry) => readExposition(await registry.metrics());
const bucket = (families: Awaited<ReturnType<typeof read>>, le: string) =>
  sampleOf(families, 'wait_seconds_bucket', { le });

describe('a histogram', () => {
  test('counts a value in each bucket whose bound it does not exceed', async () => {
    const registry = new Registry();
    const waits = histogram(registry, FACTS);
    for (const value of [0.1, 0.1000001, 0.5, 2, 2.1]) waits.observe(value);
    const families = await read(registry);
    expect(['0.1', '0.5', '2', '+Inf'].map((le) => bucket(families, le))).toEqual([1, 3, 4, 5]);
    expect(sampleOf(families, 'wait_seconds_count')).toBe(5);
    expect(sampleOf(families, 'wait_seconds_sum')).toBeCloseTo(4.8, 5);
  });

  test('takes what is below zero, or no number, for zero', async () => {
    const registry = new Registry();
    const waits = histogram(registry, FACTS);
    for (const value of [-3, Number.NaN, Number.NEGATIVE_INFINITY]) waits.observe(value);
    const families = await read(registry);
    expect(bucket(families, '0.1')).toBe(3);
    expect(sampleOf(families, 'wait_seconds_sum')).toBe(0);
  });

  test('says all of its buckets before anything was observed', async () => {
    const registry = new Registry();
    histogram(registry, FACTS);
    expect(await registry.metrics()).toBe(
      [
        '# HELP wait_seconds How long',
        '# TYPE wait_seconds histogram',
        'wait_seconds_bucket{le="0.1"} 0',
        'wait_seconds_bucket{le="0.5"} 0',
        'wait_seconds_bucket{le="2"} 0',
        'wait_seconds_bucket{le="+Inf"} 0',
        'wait_seconds_sum 0',
        'wait_seconds_count 0',
        '',
      ].join('\n'),
    );
  });

  test('has one series for each value of its label', async () => {
    const registry = new Registry();
    const by = histogramOfEach(registry, FACTS, 'outcome', ['ok', 'failed']);
    by.failed.observe(1);
    const families = await read(registry);
    expect(sampleOf(families, 'wait_seconds_count', { outcome: 'ok' })).toBe(0);
    expect(sampleOf(families, 'wait_seconds_count', { outcome: 'failed' })).toBe(1);
    expect(sampleOf(families, 'wait_seconds_bucket', { outcome: 'failed', le: '2' })).toBe(1);
  });

  test('counts like a linear search over all buckets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.double({ min: 0, max: 4, noNaN: true })), async (values) => {
        const registry = new Registry();
        const waits = histogram(registry, FACTS);
        for (const value of values) waits.observe(value);
        const families = await read(registry);
        for (const le of FACTS.buckets)
          expect(bucket(families, String(le))).toBe(values.filter((value) => value <= le).length);
        expect(bucket(families, '+Inf')).toBe(values.length);
      }),
    );
  });
});
