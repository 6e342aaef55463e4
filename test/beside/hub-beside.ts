import type { Route } from '@svc/core/api/contract/route';
import { ROUTES } from '@svc/core/api/routes';
import type { Clock } from '@svc/hub/platform/world';
import { placeOfTests } from '../hub-database.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { OTHER_VERSION } from './beside.ts';
import type { HubVersion } from './hub-version.ts';

/** A hub of another version on the database and the bus of a test, which asks it nothing. */
export interface HubBeside {
  /** Settles when the hub there and this one know each other. */
  untilKnownTo(hubUrl: string): Promise<void>;
  /** Stops it. Fails when it had reported a bug, or cannot read what is on record of the workspace of this token. */
  end(accessToken: string): Promise<void>;
}

/** pino's level of a line that reports a bug. */
const ERROR = 50;

/** Beside a hub that is the only one of a test on PostgreSQL, where tests have hubs of two versions; else undefined. */
export async function hubBeside(
  env: Readonly<Record<string, string>>,
  clock?: Clock,
): Promise<HubBeside | undefined> {
  if (OTHER_VERSION === undefined || placeOfTests() !== 'one hub on PostgreSQL') return undefined;
  return await startBeside(OTHER_VERSION, env, clock);
}

async function startBeside(
  version: HubVersion,
  env: Readonly<Record<string, string>>,
  clock: Clock | undefined,
): Promise<HubBeside> {
  const folder = await temporaryFolder();
  const complaints: string[] = [];
  const hub = await version.startHub({
    config: version.readHubConfig({ ...env, SVC_DATA_DIR: folder.path, SVC_PORT: '0' }),
    version: '0.0.0',
    ...(clock && { clock }),
    log: {
      write: (line) => {
        if ((JSON.parse(line) as { level: number }).level >= ERROR) complaints.push(line);
      },
    },
    inspect: version.inspectAnswer,
  });
  return {
    async untilKnownTo(hubUrl) {
      for (const url of [hubUrl, hub.hubUrl]) await until(() => knowsAnother(url));
    },
    async end(accessToken) {
      const unread = await unreadable(hub.hubUrl, accessToken);
      const problems = [...complaints, ...unread];
      await hub.stop({ graceMs: 0 });
      await folder[Symbol.asyncDispose]();
      if (problems.length > 0) throw new Error(`the hub beside:\n${problems.join('\n')}`);
    },
  };
}

/** The requests that a hub answered with a 5xx, out of all routes. */
async function unreadable(hubUrl: string, accessToken: string): Promise<string[]> {
  const problems: string[] = [];
  const headers = { authorization: `Bearer ${accessToken}` };
  const read = async (path: string) => {
    const response = await fetch(`${hubUrl}${path}`, { headers });
    const text = await response.text();
    if (response.status >= 500) problems.push(`${path}: ${response.status} ${text}`);
    return response.ok ? (JSON.parse(text) as { items?: Item[] }) : {};
  };
  for (const path of READABLE) {
    const { items = [] } = await read(path);
    if (WITH_IDS.has(path)) for (const item of items.slice(0, FIRST)) await read(`${path}/${idOf(item)}`);
  }
  return problems;
}

type Item = Readonly<Record<string, unknown>>;

/** This many of a list are read one by one. */
const FIRST = 10;
const ROWS: readonly Route[] = Object.values(ROUTES).filter(
  ({ method, access, answers }: Route) =>
    method === 'GET' &&
    (access.kind === 'member' ||
      access.kind === 'principal' ||
      access.kind === 'caller' ||
      access.kind === 'user') &&
    answers[200]?.kind === 'json',
);
const PATHS = new Set(ROWS.map(({ path }) => path));
/** Whatever can be read without knowing more. */
const READABLE = [...PATHS].filter((path) => !path.includes('{'));
const WITH_IDS = new Set(READABLE.filter((path) => PATHS.has(`${path}/{id}`)));

/** An execution has `execution_id`, and so on. */
function idOf(item: Item): string {
  const [, id] = Object.entries(item).find(([name]) => /^(?:\w+_)?id$/.test(name)) ?? [];
  return String(id);
}

async function knowsAnother(hubUrl: string): Promise<boolean> {
  return /^svc_bus_other_hubs 1$/m.test(await (await fetch(`${hubUrl}/metrics`)).text());
}
