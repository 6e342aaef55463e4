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
  recentIds: readonly string[],
): readonly Entry[] {
  if (typed === '') return suggested(entries, recentIds);
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

function suggested(entries: readonly Entry[], recentIds: readonly string[]): readonly Entry[] {
  const recent = recentIds.flatMap((id) => entries.find((entry) => entry.id === id) ?? []);
  return [
    ...recent.map((entry) => ({ ...entry, group: 'Recent' as const })),
    ...SHOWN_EMPTY.flatMap((group) =>
      entries
        .filter((entry) => entry.group === group && !recent.includes(entry))
        .slice(0, group === 'Go to' ? undefined : MAX_PER_GROUP),
    ),
  ];
}

function scoreOf({ label, about }: Entry, typed: string): number {
  return Math.max(matchScore(label, typed), matchScore(about ?? '', typed) * ABOUT_FACTOR);
}
