import { OPEN } from '../contract/access.ts';
import { empty, media } from '../contract/answer.ts';
import type { Routes } from '../contract/route.ts';

const PAGE = {
  method: 'GET',
  access: OPEN,
  query: 'ignored',
  answers: {
    200: media('text/html', 'The page; it is a client of this API.'),
    303: empty('Nobody has signed in: to the page where one does, which leads back.'),
  },
  refusals: ['not_found'],
  refusesOn: 'page',
} as const;

/** The dashboard: one page for all its addresses, and the files that it loads (reference 4.3). */
export const dashboardRouteRows = {
  showHome: {
    method: 'GET',
    path: '/',
    summary: 'Go to the dashboard, or to the sign-in',
    access: OPEN,
    query: 'ignored',
    answers: { 303: empty('To one of them.') },
  },
  showDashboard: { ...PAGE, path: '/dashboard', summary: 'Show the dashboard' },
  showDashboardView: { ...PAGE, path: '/dashboard/{view}', summary: 'Show a view of the dashboard' },
  showAsset: {
    method: 'GET',
    path: '/assets/{file}',
    summary: 'Load a file of the dashboard',
    description: 'The name of each holds a hash of what is in it: it never changes.',
    access: OPEN,
    query: 'ignored',
    answers: { 200: media('text/javascript', 'A script, a style sheet or a font.') },
  },
} as const satisfies Routes;
