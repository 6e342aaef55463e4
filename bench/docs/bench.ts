import { join } from 'node:path';
import { buildDocumentation } from '../../tools/docs/build.ts';
import { docsPages } from '../../tools/docs/pages.ts';
import { buildWeb } from '../../tools/web/build.ts';
import { CHROMIUM, type Device, lighthouseScores, type Scores } from '../dashboard/lighthouse.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { startHub } from '../peers/hub.ts';
import { SVC_SOURCE } from '../peers/svc.ts';

const DEVICES: readonly Device[] = ['desktop', 'mobile'];
/** The lowest accepted score out of 100, in each category and on both devices. */
const MIN_SCORE = 95;
/** One page of each kind: the first, prose with code, tables, and the longest ones. */
const KINDS = ['index', 'recipes', 'config', 'reference', 'cli', 'api', 'decisions'];
const CATEGORIES = ['performance', 'accessibility', 'bestPractices', 'seo'] as const;

/** `npm run bench -- docs [--all | page…]`: Lighthouse scores of documentation pages that a hub serves, one load each. */
export async function benchDocs(args: readonly string[]): Promise<void> {
  if (CHROMIUM === undefined) throw new Error('Chromium is missing (apt install chromium-headless-shell)');
  await buildWeb();
  await buildDocumentation();
  await using folder = await temporaryFolder();
  await using hub = await startHub({ dataDir: join(folder.path, 'hub'), program: SVC_SOURCE });
  console.log(
    `| page | ${CATEGORIES.join(' | ')} | what cost points |\n| --- | --- | --- | --- | --- | --- |`,
  );
  const low: string[] = [];
  for (const name of pagesOf(args))
    for (const device of DEVICES) {
      const url = `${hub.url}/docs/${name}.html`;
      const scores = await lighthouseScores({ url, device, cookie: undefined });
      console.log(rowOf(`${name}, ${device}`, scores));
      low.push(
        ...CATEGORIES.filter((category) => scores[category] < MIN_SCORE).map((one) => `${name}: ${one}`),
      );
    }
  console.log(`\nBelow ${MIN_SCORE}: ${low.length === 0 ? 'none' : low.join(', ')}`);
}

function pagesOf(args: readonly string[]): readonly string[] {
  const all = docsPages(join(import.meta.dir, '../..')).map(({ name }) => name);
  if (args.includes('--all')) return all;
  const named = args.filter((word) => all.includes(word));
  return named.length > 0 ? named : KINDS;
}

function rowOf(what: string, scores: Scores): string {
  const figures = CATEGORIES.map((category) => scores[category]);
  return `| ${[what, ...figures, scores.lost.join('; ')].join(' | ')} |`;
}
