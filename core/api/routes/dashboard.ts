import { OPEN } from '../contract/access.ts';
import { empty, media } from '../contract/answer.ts';
import type { Routes } from '../contract/route.ts';

const PAGE = {
  method: 'GET',
  access: OPEN,
  query: 'ignored',
  answers: {
    200: media('text/html', 'The dashboard, which is a client of this API.'),
    303: empty('No session: redirects to the sign-in page, which leads back.'),
  },
  refusals: ['not_found'],
  refusesOn: 'page',
} as const;

/** The dashboard: one page for all its addresses, and its files (reference 4.3). */
export const dashboardRouteRows = {
  showHome: {
    method: 'GET',
    path: '/',
    summary: 'Go to the dashboard or to the sign-in page',
    access: OPEN,
    query: 'ignored',
    answers: { 303: empty('Redirects to one of them.') },
  },
  showDashboard: { ...PAGE, path: '/dashboard', summary: 'Show the dashboard' },
  showDashboardView: { ...PAGE, path: '/dashboard/{view}', summary: 'Show a view of the dashboard' },
  showAsset: {
    method: 'GET',
    path: '/assets/{file}',
    summary: 'Load a file of the dashboard',
    description:
      'Each name holds a hash of the content, so a file never changes. Fonts have a name without a hash too.',
    access: OPEN,
    query: 'ignored',
    answers: { 200: media('text/javascript', 'A script, a style sheet or a font.') },
  },
} as const satisfies Routes;
