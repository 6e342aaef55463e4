import { expect, test } from 'bun:test';
import { flatness } from './memory-samples.ts';

const samplesOf = (...figures: [bytes: number, residentMiB: number][]) =>
  figures.map(([bytes, residentMiB]) => ({ bytes, residentMiB }));

test('memory is flat when what it had at most behind the border is what it had at most before', () => {
  const samples = samplesOf([0, 50], [10, 80], [11, 70], [1000, 80]);
  expect(flatness(samples, 10)).toEqual({ beforeMiB: 80, usualGrowthMiB: -5, growthMiB: 0 });
});

test('a peak behind the border counts though it is gone at the end', () => {
  expect(flatness(samplesOf([0, 50], [20, 190], [1000, 50]), 10).growthMiB).toBe(140);
});

test('without a sample on either side there is no result', () => {
  expect(() => flatness(samplesOf([0, 50]), 10)).toThrow('no sample of memory');
  expect(() => flatness(samplesOf([20, 50]), 10)).toThrow('no sample of memory');
});
