import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { read } from '../../api/read.ts';
import { chooseTheme, THEMES } from '../../design/theme.ts';
import { PLACES } from '../places.ts';
import { useVisibleNavItems } from '../use-places.ts';
import { type Found, isFound } from './found.ts';

const ENDPOINTS = 8;
const LONGEST_SEARCH = 100;
const EXECUTION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What fits what is typed: endpoints to run, pages to go to, things to do; the id of an execution leads to it. */
export function useFound(typed: string): readonly Found[] {
  const places = useVisibleNavItems(PLACES);
  const search = typed.slice(0, LONGEST_SEARCH);
  const { data } = useQuery({
    ...read('listEndpoints', { query: { limit: ENDPOINTS, ...(search !== '' && { search }) } }),
    placeholderData: keepPreviousData,
  });
  const actions = useActions(typed);
  return useMemo(() => {
    const run: Found[] = (data?.items ?? []).map(({ slug, description }) => ({
      kind: 'run',
      id: `run-${slug}`,
      slug,
      about: description,
    }));
    const go: Found[] = places
      .filter(({ label }) => isFound(label, typed))
      .map((place) => ({ kind: 'go', id: `go-${place.key}`, place }));
    return [...run, ...go, ...actions];
  }, [data, places, actions, typed]);
}

function useActions(typed: string): readonly Found[] {
  const navigate = useNavigate();
  return useMemo(() => {
    const themes: Found[] = THEMES.map((theme) => ({
      kind: 'do',
      id: `theme-${theme}`,
      label: theme === 'system' ? 'Look as the system does' : `Look ${theme}`,
      act: () => chooseTheme(theme),
    }));
    const execution: Found = {
      kind: 'do',
      id: 'execution',
      label: 'Show the execution with this id',
      act: () => void navigate({ to: '/executions/$id', params: { id: typed.toLowerCase() } }),
    };
    const isId = EXECUTION_ID.test(typed);
    return isId ? [execution] : themes.filter((one) => one.kind === 'do' && isFound(one.label, typed));
  }, [typed, navigate]);
}
