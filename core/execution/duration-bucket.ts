/** An execution that never ran has no duration. */
export const NO_DURATION = -1;

const EXACT_BELOW = 16;
const PER_DOUBLING = 8;
/** The number of buckets. */
export const DURATION_BUCKETS = 272;

/**
 * The middle of a bucket, in milliseconds. Whole milliseconds below 16 are exact; above,
 * eight buckets for each doubling keep it within 7 % of every duration in the bucket (decision 63, statistics).
 */
export function durationOfBucket(bucket: number): number {
  if (bucket < EXACT_BELOW) return bucket;
  const [octave, step] = [
    Math.floor((bucket - EXACT_BELOW) / PER_DOUBLING),
    (bucket - EXACT_BELOW) % PER_DOUBLING,
  ];
  const width = 2 ** (octave + 1);
  return EXACT_BELOW * 2 ** octave + step * width + Math.floor((width - 1) / 2);
}
