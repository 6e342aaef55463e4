// `npm run test:faults`: the reliability list as one suite. Runs every test that injects a fault, at full count but for the
// hundred random kills, which `npm run test:long` has; prints the list with the result of each line, and as the last line `N
// passed, N failed`. `npm run test:faults -- webhook mail` runs the lines that contain one of these words.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPrograms } from './debian-packages.ts';
import { FAULTS, type Fault, PLACES, type Place } from './fault-table.ts';
import { type Tested, testedIn } from './junit.ts';

const missing = installPrograms();
if (missing.length > 0) console.log(`Not installed on this machine: ${missing.join(', ')}.`);
const words = process.argv.slice(2);
const lines = FAULTS.filter(({ fault }) => words.length === 0 || words.some((word) => fault.includes(word)));
const tested = await runAll([...new Set(lines.flatMap(({ tests }) => tests.map(({ file }) => file)))]);

console.log(`\n${'fault'.padEnd(64)} ${PLACES.map((place) => place.padEnd(12)).join('')}`);
const results = lines.map((fault) => {
  const problems = problemsOf(fault);
  const cells = PLACES.map((place) => cellOf(fault, place).padEnd(12)).join('');
  console.log(`${fault.fault.slice(0, 64).padEnd(64)} ${cells}${problems.length === 0 ? 'pass' : 'FAIL'}`);
  for (const problem of problems) console.log(`    ${problem}`);
  return problems.length === 0;
});
const failed = results.filter((isFine) => !isFine).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 || results.length === 0 ? 1 : 0);

/** In one run; the result of each test is read from its report. */
async function runAll(files: readonly string[]): Promise<readonly Tested[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-faults-'));
  const report = join(folder, 'report.xml');
  try {
    const args = ['--parallel=2', '--timeout=600000', '--reporter=junit', `--reporter-outfile=${report}`];
    const suite = Bun.spawn([process.execPath, 'test', ...args, ...files], {
      env: { ...process.env, SVC_TEST_FAULTS: '1', FORCE_COLOR: '0' },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    await suite.exited;
    return testedIn(readFileSync(report, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function testsOf({ tests }: Fault, place?: Place): Tested[] {
  const meant = tests.filter(({ on }) => place === undefined || on.includes(place));
  return tested.filter(({ file, name }) => meant.some((one) => one.file === file && name.includes(one.name)));
}

/** How many tests there are for it, and how many of them failed. */
function cellOf(fault: Fault, place: Place): string {
  const own = testsOf(fault, place);
  if (own.length === 0) return '–';
  const failures = own.filter(({ outcome }) => outcome === 'failed').length;
  return failures === 0 ? `${own.length}` : `${failures} of ${own.length}`;
}

/** A line that names tests which do not exist, or are skipped, does not pass. */
function problemsOf(fault: Fault): string[] {
  const empty = fault.tests.filter(
    (one) => !tested.some(({ file, name }) => file === one.file && name.includes(one.name)),
  );
  return [
    ...empty.map(({ file, name }) => `no test of "${name}" was run in ${file}`),
    ...testsOf(fault)
      .filter(({ outcome }) => outcome !== 'passed')
      .map(({ file, name, outcome }) => `${outcome}: ${name} (${file})`),
  ];
}
