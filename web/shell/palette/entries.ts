import { matchScore } from './match.ts';

/** The groups of the palette, in their order while nothing is typed. */
const GROUPS = [
  'Recent',
  'This page',
  'Run',
  'Pipelines',
  'Runs',
  'Executions',
  'Go to',
  'People',
  'Secrets',
  'Look',
] as const;
type Group = (typeof GROUPS)[number];

/** Something that the palette finds. Its id stays the same between visits. */
export interface Entry {
  readonly id: string;
  readonly group: Group;
  /** Shown in monospace: the name of an endpoint, an id. */
  readonly isCode?: boolean;
  readonly label: string;
  readonly about?: string | null;
  /** What of `about` stays true; stored with the entry when it was chosen. */
  readonly lastingAbout?: string;
  /** The shortcut of a page. */
  readonly keys?: string;
  /** `run` opens the form of an endpoint; a path is a page of the dashboard. */
  readonly target:
    | { readonly kind: 'run'; readonly slug: string }
    | { readonly kind: 'page'; readonly path: string }
    | { readonly kind: 'action'; readonly act: () => void };
}

/** Shown before anything is typed; people, secrets and records appear when they are searched. */
const SHOWN_EMPTY: readonly Group[] = ['This page', 'Run', 'Go to'];
const MAX_PER_GROUP = 6;
/** Records of one endpoint all fit its name; only the latest are of interest then. */
const MAX_RECORDS = 3;
const ABOUT_FACTOR = 0.5;

/** The entries for what is typed: the group of the best match first, in each group the best match first. */
export function findEntries(
  entries: readonly Entry[],
  typed: string,
  recent: readonly RecentEntry[],
): readonly Entry[] {
  if (typed === '') return suggested(entries, recent);
  const scored = entries
    .map((entry) => ({ entry, score: scoreOf(entry, typed) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
  const groups = new Set(scored.map(({ entry }) => entry.group));
  return [...groups].flatMap((group) =>
    scored
      .filter(({ entry }) => entry.group === group)
      .slice(0, group === 'Runs' || group === 'Executions' ? MAX_RECORDS : MAX_PER_GROUP)
      .map(({ entry }) => entry),
  );
}

function suggested(entries: readonly Entry[], recent: readonly RecentEntry[]): readonly Entry[] {
  const chosen = recent.flatMap((one) => entries.find(({ id }) => id === one.id) ?? entryOf(one) ?? []);
  const known = new Set(chosen.map(({ id }) => id));
  return [
    ...chosen.map((entry) => ({ ...entry, group: 'Recent' as const })),
    ...SHOWN_EMPTY.flatMap((group) =>
      entries
        .filter((entry) => entry.group === group && !known.has(entry.id))
        .slice(0, group === 'Go to' ? undefined : MAX_PER_GROUP),
    ),
  ];
}

/** An entry that was chosen, as the browser stores it. */
export interface RecentEntry {
  readonly id: string;
  /** Of a record, which is found again only when something is typed: how it looks and where it leads. */
  readonly record?: { readonly label: string; readonly about?: string; readonly path: string };
}

const RECORDS: readonly Group[] = ['Runs', 'Executions', 'People', 'Secrets'];

export function recentEntry({ id, group, label, about, lastingAbout, target }: Entry): RecentEntry {
  // A stored record that is chosen again is in the group of the recent ones.
  const isRecord = RECORDS.includes(group) || lastingAbout !== undefined;
  if (!isRecord || target.kind !== 'page') return { id };
  const shown = lastingAbout ?? about;
  return { id, record: { label, path: target.path, ...(shown && { about: shown }) } };
}

function entryOf({ id, record }: RecentEntry): Entry | undefined {
  if (record === undefined) return undefined;
  const { label, about, path } = record;
  return {
    id,
    group: 'Recent',
    isCode: true,
    label,
    target: { kind: 'page', path },
    ...(about !== undefined && { about, lastingAbout: about }),
  };
}

/** The stored entries; those of an earlier version are ids. */
export function readRecent(stored: string | null): readonly RecentEntry[] {
  const all: unknown = JSON.parse(stored ?? '[]');
  if (!Array.isArray(all)) return [];
  return all.flatMap((one: RecentEntry | string) => {
    if (typeof one === 'string') return { id: one };
    const { id, record } = one ?? {};
    if (typeof id !== 'string') return [];
    // The path of a page of the dashboard, whatever else is in the store of the browser.
    const isPage = typeof record?.label === 'string' && /^\/(?!\/)/.test(String(record.path));
    return isPage ? { id, record } : { id };
  });
}

function scoreOf({ label, about }: Entry, typed: string): number {
  return Math.max(matchScore(label, typed), matchScore(about ?? '', typed) * ABOUT_FACTOR);
}
