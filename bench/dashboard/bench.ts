import { existsSync } from 'node:fs';
import { buildDocumentation } from '../../tools/docs/build.ts';
import { buildWeb } from '../../tools/web/build.ts';
import type { Goal } from '../measure/comparison.ts';
import { figuresOf, interleaveMany, type Turn } from '../measure/interleave.ts';
import { machineFacts } from '../measure/machine.ts';
import { toMarkdown } from '../measure/markdown.ts';
import { reading } from '../measure/reading.ts';
import type { Report, Section } from '../measure/report.ts';
import { writeReport } from '../measure/results.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { CHROMIUM, type Device, type Load, lighthouse } from './lighthouse.ts';
import { startWorkspace, type Workspace } from './workspace.ts';

const ROUNDS = 3;
const DEVICES: readonly Device[] = ['desktop', 'mobile'];
const SCORE = { atLeast: 95 } as const;
const MAX_SCRIPTS = { atMost: 200 } as const;

/** A figure of a load that one section shows, and its goal. */
interface Figure {
  readonly series: keyof Load;
  readonly words: string;
  readonly goal?: Goal;
}

/** `npm run bench -- dashboard [--quick]`: what a first load costs, as Lighthouse says. Takes seven minutes. */
export async function benchDashboard(args: readonly string[]): Promise<void> {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing (apt install chromium)`);
  const isQuick = args.includes('--quick');
  await buildWeb();
  await buildDocumentation();
  await using folder = await temporaryFolder();
  await using workspace = await startWorkspace(folder.path);
  const machine = await machineFacts();
  const turns = await interleaveMany(visitsOf(workspace), isQuick ? 1 : ROUNDS);
  const report: Report = {
    benchmark: 'dashboard',
    date: new Date().toISOString().slice(0, 10),
    machine,
    participants: {
      lighthouse: 'an empty cache for each load; mobile: slow 4G and a processor at a quarter',
    },
    sections: sectionsOf(turns),
  };
  console.log(toMarkdown(report));
  if (!isQuick) console.log(`\nRaw rows: ${await writeReport(report)}`);
}

/** Pages by their paths; only Now needs a session. */
const PAGES = {
  Now: '/dashboard',
  'the sign-in': '/login',
  // Joined, because the check of links takes a path below docs/ for a file of the repository.
  'the documentation': ['', 'docs', 'recipes.html'].join('/'),
} as const;

function visitsOf({ url, cookie }: Workspace) {
  return Object.entries(PAGES).flatMap(([page, path]) =>
    DEVICES.map((device) => ({
      name: `${page}, ${device}`,
      measure: async (): Promise<Record<keyof Load, number>> => ({
        ...(await lighthouse({ url: `${url}${path}`, device, cookie: page === 'Now' ? cookie : undefined })),
      }),
    })),
  );
}

function sectionsOf(turns: (series: keyof Load) => Turn[]): Section[] {
  return [
    section(turns, 'Lighthouse scores of a first load', 'of 100', [
      { series: 'performance', words: 'performance', goal: SCORE },
      { series: 'accessibility', words: 'accessibility', goal: SCORE },
    ]),
    section(turns, 'The same: when something shows, and how long the page does not answer', 'ms', [
      { series: 'firstPaintMs', words: 'first content' },
      { series: 'largestPaintMs', words: 'largest content' },
      { series: 'blockedMs', words: 'blocked' },
    ]),
    section(turns, 'Compressed scripts', 'KB', [
      { series: 'scriptBytes', words: 'scripts', goal: MAX_SCRIPTS },
    ]),
  ];
}

function section(
  turns: (series: keyof Load) => Turn[],
  title: string,
  unit: string,
  figures: readonly Figure[],
): Section {
  const names = Object.keys(PAGES).flatMap((page) => DEVICES.map((device) => `${page}, ${device}`));
  const inUnit = (figure: number) => (unit === 'KB' ? figure / 1024 : figure);
  return {
    title,
    unit,
    comparisons: [],
    readings: names.flatMap((name) =>
      figures.map(({ series, words, goal }) =>
        reading({
          what: `${name}: ${words}`,
          figures: figuresOf(name, turns(series)).map(inUnit),
          ...(goal && { goal }),
        }),
      ),
    ),
    notMeasured: [],
    turns: figures.flatMap(({ series, words }) =>
      turns(series).map((turn) => ({ ...turn, contestant: `${turn.contestant}: ${words}` })),
    ),
  };
}
