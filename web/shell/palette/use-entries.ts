import { may } from '@svc/core/workspace/permissions';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useAccount } from '../../account/account.ts';
import { read } from '../../api/read.ts';
import { chooseTheme, THEMES } from '../../design/theme.ts';
import { NAV_ITEMS } from '../nav-items.ts';
import { useVisibleNavItems } from '../use-visible-nav-items.ts';
import type { Entry } from './entries.ts';

const MAX_LISTED = 100;
const MAX_SEARCH_CHARS = 100;
const EXECUTION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** The letters of an id that the list shows. */
const SHORT_ID = 8;

const LISTS = {
  endpoints: read('listEndpoints', { query: { limit: MAX_LISTED } }),
  pipelines: read('listPipelines', { query: { limit: MAX_LISTED } }),
  runs: read('listPipelineRuns', { query: { limit: MAX_LISTED } }),
  executions: read('listExecutions', { query: { limit: MAX_LISTED } }),
  members: read('listMembers', { query: { limit: MAX_LISTED } }),
  secrets: read('listSecrets', { query: { limit: MAX_LISTED } }),
} as const;

/** Everything that the palette can find, and whether a part of it is still loading. */
export function useEntries(typed: string): {
  readonly entries: readonly Entry[];
  readonly isLoading: boolean;
} {
  const records = useRecords(typed);
  const items = useVisibleNavItems(NAV_ITEMS);
  // The buttons of the page do not change while the palette covers it.
  const [pageActions] = useState(pageActionEntries);
  const entries = useMemo(
    () => [
      ...openById(typed),
      ...pageActions,
      ...records.entries,
      ...items.map(pageEntry),
      LIVE_ENTRY,
      ...THEME_ENTRIES,
    ],
    [typed, pageActions, records.entries, items],
  );
  return { entries, isLoading: records.isLoading };
}

function useRecords(typed: string) {
  const { role } = useAccount();
  const search = typed.slice(0, MAX_SEARCH_CHARS);
  const isSearch = search !== '';
  const endpoints = useQuery(LISTS.endpoints);
  const isCut = endpoints.data?.next_cursor != null;
  const found = useQuery({
    ...read('listEndpoints', { query: { limit: MAX_LISTED, search } }),
    enabled: isSearch && isCut,
    placeholderData: keepPreviousData,
  });
  const pipelines = useQuery({ ...LISTS.pipelines, enabled: may(role, 'pipeline.view') });
  const runs = useQuery({ ...LISTS.runs, enabled: isSearch });
  const executions = useQuery({ ...LISTS.executions, enabled: isSearch });
  const members = useQuery({ ...LISTS.members, enabled: isSearch });
  const secrets = useQuery({ ...LISTS.secrets, enabled: isSearch && may(role, 'secret.manage') });
  const entries = useMemo((): readonly Entry[] => {
    const byId = new Map(
      [...(endpoints.data?.items ?? []), ...(found.data?.items ?? [])].map((one) => [
        `run-${one.slug}`,
        { slug: one.slug, about: one.description },
      ]),
    );
    return [
      ...[...byId].map(
        ([id, { slug, about }]): Entry => ({
          id,
          group: 'Run',
          isCode: true,
          label: slug,
          about,
          target: { kind: 'run', slug },
        }),
      ),
      ...(pipelines.data?.items ?? []).map(({ slug, description }) =>
        record('Pipelines', slug, description, `/pipelines/${slug}`),
      ),
      ...(runs.data?.items ?? []).map(({ run_id: id, pipeline }) =>
        record('Runs', id.slice(0, SHORT_ID), `run of ${pipeline}`, `/pipeline-runs/${id}`),
      ),
      ...(executions.data?.items ?? []).map(({ execution_id: id, endpoint, status }) => ({
        ...record(
          'Executions',
          id.slice(0, SHORT_ID),
          `${endpoint}, ${status.replace('_', ' ')}`,
          `/executions/${id}`,
        ),
        lastingAbout: endpoint,
      })),
      ...(members.data?.items ?? []).map(({ email, role: theirs }) =>
        record('People', email, theirs, '/team'),
      ),
      ...(secrets.data?.items ?? []).map(({ name }) => record('Secrets', name, 'secret', '/secrets')),
    ];
  }, [endpoints.data, found.data, pipelines.data, runs.data, executions.data, members.data, secrets.data]);
  // Until the search has its answer, the list has the results of what was typed before.
  const isSearching = isSearch && isCut && found.isPlaceholderData;
  return {
    entries,
    isLoading: isSearching || [endpoints, found, pipelines].some(({ isLoading }) => isLoading),
  };
}

function record(group: Entry['group'], label: string, about: string | null, path: string): Entry {
  return { id: `${path}#${label}`, group, isCode: true, label, about, target: { kind: 'page', path } };
}

function pageEntry({ to, label, key }: (typeof NAV_ITEMS)[number]): Entry {
  return { id: `page-${key}`, group: 'Go to', label, keys: `g ${key}`, target: { kind: 'page', path: to } };
}

/** A page that the rail does not have. */
const LIVE_ENTRY: Entry = {
  id: 'page-live',
  group: 'Go to',
  label: 'Live output',
  about: 'of all executions',
  target: { kind: 'page', path: '/live' },
};

const THEME_ENTRIES: readonly Entry[] = THEMES.map((theme) => ({
  id: `theme-${theme}`,
  group: 'Look',
  label: `Use ${theme} theme`,
  target: { kind: 'action', act: () => chooseTheme(theme) },
}));

/** The buttons and links beside the headings of the current page, and its tabs. */
function pageActionEntries(): readonly Entry[] {
  const found = document.querySelectorAll<HTMLElement>(
    '[data-page-actions] :is(button, a), main [role=tab][aria-selected=false]',
  );
  return [...found]
    .filter((button) => button.ariaDisabled !== 'true' && button.textContent !== '')
    .map((button) => {
      const name = button.ariaLabel ?? button.textContent;
      const label = button.getAttribute('role') === 'tab' ? `Show ${name}` : name;
      return {
        id: `action-${label}`,
        group: 'This page',
        label,
        target: { kind: 'action', act: () => button.click() },
      };
    });
}

/** A whole id may be that of an execution or of a pipeline run, from any time. */
function openById(typed: string): readonly Entry[] {
  if (!EXECUTION_ID.test(typed)) return [];
  const id = typed.toLowerCase();
  const open = (group: Entry['group'], about: string, path: string): Entry => ({
    id: path,
    group,
    isCode: true,
    label: id,
    about,
    target: { kind: 'page', path },
  });
  return [
    open('Executions', 'Open execution', `/executions/${id}`),
    open('Runs', 'Open pipeline run', `/pipeline-runs/${id}`),
  ];
}
