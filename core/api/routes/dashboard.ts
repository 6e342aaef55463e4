import { z } from 'zod';
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
  showDocumentation: {
    method: 'GET',
    path: '/docs',
    summary: 'Go to the documentation',
    access: OPEN,
    query: 'ignored',
    answers: { 303: empty('Redirects to its first page.') },
  },
  showDocument: {
    method: 'GET',
    path: '/docs/{file}',
    summary: 'Show a page of the documentation',
    description:
      'The documentation of this version: each page as `.html` and, in Markdown, as `.md`, with the files that the pages use.',
    access: OPEN,
    query: 'ignored',
    answers: {
      200: {
        ...media('text/html', 'A page or a file of the documentation.'),
        json: { schema: z.unknown(), example: {} },
      },
    },
    refusals: ['not_found'],
    refusesOn: 'page',
  },
  showDocumentList: {
    method: 'GET',
    path: '/llms.txt',
    summary: 'List the documents for programs that read',
    access: OPEN,
    query: 'ignored',
    answers: {
      200: media('text/plain', 'The documents, with the question that each answers (llmstxt.org).'),
    },
    refusals: ['not_found'],
  },
} as const satisfies Routes;
