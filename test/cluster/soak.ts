// `npm run test:soak`: half an hour of mixed load while processes are killed. At its end the whole ledger is checked against
// the invariants, and the memory of hub and agents against growth. `--minutes 10` makes it shorter, `--sqlite` has one hub on
// SQLite. The last line is `N passed, N failed`.
import { parseArgs } from 'node:util';
import type { MortalProcess } from './chaos/mortal.ts';
import { growthOf, type Sample, Sampler } from './chaos/sampler.ts';
import { Seeded } from './chaos/seeded.ts';
import { type SurvivalOptions, surviveKills } from './chaos/survive-kills.ts';

const { minutes, sqlite } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, sqlite: { type: 'boolean', default: false } },
}).values;

/** By how much more may be there at the end of the later half than at its beginning. */
const BOUNDS = { rssMiB: 32, heapMiB: 16, descriptors: 16 } as const;
type Measure = keyof typeof BOUNDS;

const THREE_HUBS = { store: 'postgres', hubs: 3, programs: 5, crowds: { processes: 3, agents: 15 } } as const;
const ONE_HUB = { store: 'sqlite', hubs: 1, programs: 5, crowds: { processes: 3, agents: 15 } } as const;
/** Long enough for everybody to be back and at work before the next dies. */
const PAUSE_MS = { least: 2_000, most: 15_000 };
/** Their memory is sampled, so they live through all of it. */
const SPARED = ['hub 0', 'crowd 0'];

const samplers: { readonly name: string; readonly sampler: Sampler }[] = [];
const endsMs = performance.now() + Number(minutes) * 60_000;
const options: SurvivalOptions = {
  seed: Seeded.seed(true),
  fleet: sqlite ? ONE_HUB : THREE_HUBS,
  killing: {
    continues: () => performance.now() < endsMs,
    isSpared: ({ name }) => SPARED.includes(name),
    isPatient: true,
    pauseMs: PAUSE_MS,
  },
  watch({ mortals }) {
    const stack = new AsyncDisposableStack();
    for (const mortal of mortals.filter(({ name }) => SPARED.includes(name)))
      samplers.push({ name: mortal.name, sampler: stack.use(new Sampler(mortal as MortalProcess)) });
    return stack;
  },
};

const { kills, broken, dishonest } = await surviveKills(options);
const results: (readonly [claim: string, problems: readonly string[]])[] = [
  [`${kills} kills in ${minutes} minutes: what must be true of the ledger is`, broken],
  ['all answers to callers were true', dishonest],
  ...samplers.flatMap(({ name, sampler }) =>
    (Object.keys(BOUNDS) as Measure[]).flatMap((measure) => flatness(name, sampler.samples, measure)),
  ),
];
for (const [claim, problems] of results) {
  console.log(`${problems.length === 0 ? 'pass' : 'FAIL'}  ${claim}`);
  for (const problem of problems) console.log(`      ${problem}`);
}
const failed = results.filter(([, problems]) => problems.length > 0).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

/** Nothing for what is not measured of this process. */
function flatness(name: string, samples: readonly Sample[], measure: Measure) {
  const values = samples.flatMap((sample) => sample[measure] ?? []);
  if (values.length === 0) return [];
  const growth = growthOf(samples, (sample) => sample[measure]);
  const shown = [values[0], values[Math.floor(values.length / 2)], values.at(-1)].map((value) =>
    value?.toFixed(0),
  );
  const claim = `${measure} of ${name}: ${shown.join(' → ')}, by ${growth.toFixed(1)} in the later half (at most ${BOUNDS[measure]})`;
  return [[claim, growth > BOUNDS[measure] ? ['it grows'] : []] as const];
}
