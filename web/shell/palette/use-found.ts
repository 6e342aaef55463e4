import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { read } from '../../api/read.ts';
import { chooseTheme, THEMES } from '../../design/theme.ts';
import { NAV_ITEMS } from '../nav-items.ts';
import { useVisibleNavItems } from '../use-visible-nav-items.ts';
import { type Found, isFound } from './found.ts';

const ENDPOINTS = 8;
const MAX_SEARCH_CHARS = 100;
const EXECUTION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The results for a query: endpoints, pages and actions; an execution id leads to its page. */
export function useFound(typed: string): readonly Found[] {
  const items = useVisibleNavItems(NAV_ITEMS);
  const search = typed.slice(0, MAX_SEARCH_CHARS);
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
    const go: Found[] = items
      .filter(({ label }) => isFound(label, typed))
      .map((item) => ({ kind: 'go', id: `go-${item.key}`, item }));
    return [...run, ...go, ...actions];
  }, [data, items, actions, typed]);
}

function useActions(typed: string): readonly Found[] {
  const navigate = useNavigate();
  return useMemo(() => {
    const themes: Found[] = THEMES.map((theme) => ({
      kind: 'do',
      id: `theme-${theme}`,
      label: `Use ${theme} theme`,
      act: () => chooseTheme(theme),
    }));
    const execution: Found = {
      kind: 'do',
      id: 'execution',
      label: 'Open execution with this ID',
      act: () => void navigate({ to: '/executions/$id', params: { id: typed.toLowerCase() } }),
    };
    const isId = EXECUTION_ID.test(typed);
    return isId ? [execution] : themes.filter((one) => one.kind === 'do' && isFound(one.label, typed));
  }, [typed, navigate]);
}
