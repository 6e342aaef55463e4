// Loaded before every test file. Property tests try the same values in every run, so a run on an unchanged tree cannot
// turn red by luck. `npm test -- --long` searches with a new seed each time, which fast-check prints with what it found.
import fc from 'fast-check';

const { SVC_TEST_LONG, SVC_TEST_SEED } = process.env;
const SEED = 20_261_123;

if (SVC_TEST_SEED !== undefined) fc.configureGlobal({ seed: Number(SVC_TEST_SEED) });
else if (SVC_TEST_LONG === undefined) fc.configureGlobal({ seed: SEED });
