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
/** Of 100; what a slow phone and what a desk must reach. */
const MIN_SCORE: Readonly<Record<Device, number>> = { mobile: 90, desktop: 98 };
const MIN_ACCESSIBILITY = { atLeast: 95 } as const;
const MAX_SHIFT = { atMost: 0.02 } as const;

/** A figure of a load that one section shows, and its goal. */
interface Figure {
  readonly series: keyof Load;
  readonly words: string;
  readonly goal?: (page: PageName, device: Device) => Goal | undefined;
}

/** `npm run bench -- dashboard [--quick]`: what a first load costs, as Lighthouse says. Takes 15 minutes. */
export async function benchDashboard(args: readonly string[]): Promise<void> {
  if (CHROMIUM === undefined) throw new Error('Chromium is missing (apt install chromium-headless-shell)');
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

/** Pages by their paths, and the compressed scripts that a page may load, in KB. */
const PAGES = {
  Now: { path: '/dashboard', maxScripts: 130 },
  Executions: { path: '/dashboard/executions' },
  'an endpoint': { path: '/dashboard/endpoints/deploy', maxScripts: 200 },
  'a run': { path: (workspace: Workspace) => workspace.runPath, maxScripts: 260 },
  'the sign-in': { path: '/login', isPublic: true },
  // Joined, because the check of links takes a path below docs/ for a file of the repository.
  'the documentation': { path: ['', 'docs', 'recipes.html'].join('/'), isPublic: true },
} as const satisfies Readonly<Record<string, MeasuredPage>>;

type PageName = keyof typeof PAGES;

interface MeasuredPage {
  readonly path: string | ((workspace: Workspace) => string);
  readonly maxScripts?: number;
  /** The page needs no session. */
  readonly isPublic?: true;
}

const NAMES = Object.keys(PAGES) as PageName[];

function visitsOf(workspace: Workspace) {
  return NAMES.flatMap((page) =>
    DEVICES.map((device) => ({
      name: `${page}, ${device}`,
      measure: async (): Promise<Record<keyof Load, number>> => {
        const { path, isPublic }: MeasuredPage = PAGES[page];
        const url = `${workspace.url}${typeof path === 'string' ? path : path(workspace)}`;
        return { ...(await lighthouse({ url, device, cookie: isPublic ? undefined : workspace.cookie })) };
      },
    })),
  );
}

function sectionsOf(turns: (series: keyof Load) => Turn[]): Section[] {
  return [
    section(turns, 'Lighthouse scores of a first load', 'of 100', [
      { series: 'performance', words: 'performance', goal: (_, device) => ({ atLeast: MIN_SCORE[device] }) },
      { series: 'accessibility', words: 'accessibility', goal: () => MIN_ACCESSIBILITY },
    ]),
    section(turns, 'The same: when something shows, and how long the page does not answer', 'ms', [
      { series: 'firstPaintMs', words: 'first content' },
      { series: 'largestPaintMs', words: 'largest content' },
      { series: 'blockedMs', words: 'blocked' },
    ]),
    section(turns, 'Layout shift', '', [{ series: 'shift', words: 'layout shift', goal: () => MAX_SHIFT }]),
    section(turns, 'Compressed scripts', 'KB', [
      { series: 'scriptBytes', words: 'scripts', goal: (page) => maxScripts(PAGES[page]) },
    ]),
  ];
}

function maxScripts({ maxScripts: most }: MeasuredPage): Goal | undefined {
  return most === undefined ? undefined : { atMost: most };
}

function section(
  turns: (series: keyof Load) => Turn[],
  title: string,
  unit: string,
  figures: readonly Figure[],
): Section {
  const inUnit = (figure: number) => (unit === 'KB' ? figure / 1024 : figure);
  const readingOf = (page: PageName, device: Device, { series, words, goal }: Figure) => {
    const name = `${page}, ${device}`;
    const wanted = goal?.(page, device);
    return reading({
      what: `${name}: ${words}`,
      figures: figuresOf(name, turns(series)).map(inUnit),
      ...(wanted && { goal: wanted }),
    });
  };
  return {
    title,
    unit,
    comparisons: [],
    readings: NAMES.flatMap((page) =>
      DEVICES.flatMap((device) => figures.map((figure) => readingOf(page, device, figure))),
    ),
    notMeasured: [],
    turns: figures.flatMap(({ series, words }) =>
      turns(series).map((turn) => ({ ...turn, contestant: `${turn.contestant}: ${words}` })),
    ),
  };
}
