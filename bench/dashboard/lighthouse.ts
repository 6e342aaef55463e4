import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../measure/temporary-folder.ts';

const CHROMIUMS = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'];
/** Undefined: no browser is installed. */
export const CHROMIUM = CHROMIUMS.find((path) => existsSync(path));

export type Device = 'desktop' | 'mobile';

/** The figures of Lighthouse for one load with an empty cache. */
export interface Load {
  /** Of 100. */
  readonly performance: number;
  readonly accessibility: number;
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  readonly blockedMs: number;
  /** The sum of the layout shifts: 0.1 counts as bad. */
  readonly shift: number;
  /** Scripts of the page as they came over the wire, with their headers; without what is loaded in advance. */
  readonly scriptBytes: number;
}

/** The score of each Lighthouse category, out of 100, and the audits that cost points. */
export interface Scores {
  readonly performance: number;
  readonly accessibility: number;
  readonly bestPractices: number;
  readonly seo: number;
  readonly lost: readonly string[];
}

interface Visit {
  readonly url: string;
  readonly device: Device;
  /** Undefined: without a session. */
  readonly cookie: string | undefined;
}

interface LighthouseReport {
  readonly categories: Readonly<Record<string, Category>>;
  readonly audits: Readonly<Record<string, Audit>>;
  /** Such as NO_NAVSTART: the trace of the browser lacks the start of a measure. */
  readonly runtimeError?: { readonly code: string };
}

interface Category {
  readonly score: number | null;
  readonly auditRefs: readonly { readonly id: string; readonly weight: number }[];
}

interface Audit {
  /** Between 0 and 1; null where it does not apply. */
  readonly score: number | null;
  readonly displayValue?: string;
  readonly numericValue?: number;
  readonly details?: { readonly items?: readonly AuditItem[] };
}

/** A request, or a mark of the page. Both times are milliseconds since the begin of the load. */
interface AuditItem {
  readonly resourceType?: string;
  readonly transferSize?: number;
  readonly networkRequestTime?: number;
  readonly name?: string;
  readonly startTime?: number;
}

/** The page sets it when it begins to load other pages in advance (`web/main.tsx`). */
const PREFETCH_MARK = 'svc:prefetch';

/** The result of one run of the program. */
type Tried =
  | { readonly kind: 'load'; readonly load: Load; readonly report: LighthouseReport }
  | { readonly kind: 'failed'; readonly reason: string };

const TRIES = 6;
/** A browser that hangs is not waited for. */
const LONGEST_MS = 180_000;

/**
 * Lighthouse is a program of Node and has a browser of its own for each load; on `mobile` it slows network and processor. On a
 * busy machine a browser often loses the beginning of its trace: such a load counts for nothing, and another one is made.
 */
export async function lighthouse(visit: Visit): Promise<Load> {
  return (await loaded(visit, ['performance', 'accessibility'])).load;
}

/** Scores one load in all categories. */
export async function lighthouseScores(visit: Visit): Promise<Scores> {
  const categories = ['performance', 'accessibility', 'best-practices', 'seo'];
  const { report } = await loaded(visit, categories);
  return {
    performance: scoreOf(report, 'performance'),
    accessibility: scoreOf(report, 'accessibility'),
    bestPractices: scoreOf(report, 'best-practices'),
    seo: scoreOf(report, 'seo'),
    lost: lostIn(report),
  };
}

async function loaded(visit: Visit, categories: readonly string[]) {
  const reasons: string[] = [];
  while (reasons.length < TRIES) {
    const tried = await tryLoad(visit, categories);
    if (tried.kind === 'load') return tried;
    reasons.push(tried.reason);
    console.error(`lighthouse, ${visit.device}, ${visit.url}: ${tried.reason}; again`);
  }
  throw new Error(`lighthouse failed ${TRIES} times at ${visit.url}: ${reasons.join('; ')}`);
}

async function tryLoad({ url, device, cookie }: Visit, categories: readonly string[]): Promise<Tried> {
  // Looked up late: only this benchmark installs the packages of bench/package.json.
  const program = fileURLToPath(import.meta.resolve('lighthouse/cli/index.js'));
  const options = [
    '--quiet',
    '--output=json',
    // The stream of live events keeps the network from ever being idle.
    '--max-wait-for-load=15000',
    `--only-categories=${categories.join(',')}`,
    '--chrome-flags=--headless --no-sandbox --disable-dev-shm-usage',
    ...(device === 'desktop' ? ['--preset=desktop'] : []),
    ...(cookie === undefined ? [] : [`--extra-headers=${JSON.stringify({ Cookie: cookie })}`]),
  ];
  await using folder = await temporaryFolder();
  // A file: Node exits before all of a long report has gone through a pipe.
  const file = Bun.file(join(folder.path, 'report.json'));
  const child = Bun.spawn(['node', program, url, ...options], {
    env: { ...process.env, ...(CHROMIUM !== undefined && { CHROME_PATH: CHROMIUM }) },
    stdio: ['ignore', file, 'pipe'],
    timeout: LONGEST_MS,
  });
  const [complaints] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  const report = await file.text();
  // It ends with 1 where it has a report of what went wrong, too.
  if (!report.startsWith('{')) return { kind: 'failed', reason: lastLine(complaints) };
  return triedOf(JSON.parse(report) as LighthouseReport);
}

function lastLine(complaints: string): string {
  return complaints.trim().split('\n').at(-1) || 'it said nothing';
}

function triedOf(report: LighthouseReport): Tried {
  const { runtimeError } = report;
  if (runtimeError !== undefined) return { kind: 'failed', reason: runtimeError.code };
  const load = loadOf(report);
  const missing = Object.entries(load).filter(([, figure]) => !Number.isFinite(figure));
  if (missing.length === 0) return { kind: 'load', load, report };
  return { kind: 'failed', reason: `no figure for ${missing.map(([name]) => name).join(', ')}` };
}

function scoreOf({ categories }: LighthouseReport, category: string): number {
  return Math.round((categories[category]?.score ?? Number.NaN) * 100);
}

/** The audits of a category that lost points. */
function lostIn({ categories, audits }: LighthouseReport): string[] {
  return Object.values(categories).flatMap(({ auditRefs }) =>
    auditRefs.flatMap(({ id, weight }) => {
      const { score = null, displayValue = '' } = audits[id] ?? {};
      if (weight === 0 || score === null || score >= 1) return [];
      return [`${id} ${displayValue} (${Math.round(score * 100)} of 100)`];
    }),
  );
}

function loadOf(report: LighthouseReport): Load {
  const { audits } = report;
  const milliseconds = (audit: string) => Math.round(audits[audit]?.numericValue ?? Number.NaN);
  const requests = audits['network-requests']?.details?.items ?? [];
  const marks = audits['user-timings']?.details?.items ?? [];
  const untilMs = marks.find(({ name }) => name === PREFETCH_MARK)?.startTime ?? Number.POSITIVE_INFINITY;
  return {
    performance: scoreOf(report, 'performance'),
    accessibility: scoreOf(report, 'accessibility'),
    firstPaintMs: milliseconds('first-contentful-paint'),
    largestPaintMs: milliseconds('largest-contentful-paint'),
    blockedMs: milliseconds('total-blocking-time'),
    shift: audits['cumulative-layout-shift']?.numericValue ?? Number.NaN,
    scriptBytes: requests
      .filter(
        ({ resourceType, networkRequestTime = 0 }) =>
          resourceType === 'Script' && networkRequestTime < untilMs,
      )
      .reduce((sum, { transferSize = 0 }) => sum + transferSize, 0),
  };
}
