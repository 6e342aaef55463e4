const LONG = process.env.SVC_TEST_LONG !== undefined;

/**
 * How often a property is tried: as given with `npm test -- --long`, else a fifth of that. The seed of ordinary runs is fixed,
 * so they would try the same values again in each run.
 */
export function runs(long: number): number {
  return LONG ? long : Math.ceil(long / 5);
}
