import { z } from 'zod';
import { OPEN, OPERATOR } from '../contract/access.ts';
import { empty, json, media } from '../contract/answer.ts';
import { pageSchema, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME } from './examples.ts';

const health = z
  .strictObject({
    status: z.enum(['ok', 'failing']),
    version: z.string(),
    uptime_s: z.int(),
    store: z.string().describe('`ok`, or why nothing can be stored.'),
  })
  .meta({ id: 'Health' });

const readiness = z
  .strictObject({
    ready: z.boolean(),
    draining: z
      .boolean()
      .optional()
      .describe('Only of a hub that is about to stop: it serves what still comes, and wants nothing new.'),
    bus: z
      .enum(['ok', 'lost'])
      .optional()
      .describe(
        'Only of a hub that is to tell others: `lost`, and it takes requests, but hears of others late.',
      ),
    store: z
      .enum(['damaged'])
      .optional()
      .describe('Present only where the store is damaged; on SQLite the hub is not ready then.'),
  })
  .meta({ id: 'Readiness' });

const description = z
  .looseObject({ openapi: z.string(), info: z.looseObject({ title: z.string(), version: z.string() }) })
  .meta({ id: 'OpenApiDocument', description: 'A document in OpenAPI 3.1.' });

const mail = z
  .strictObject({
    id: z.string().describe('That of an alert is the id of its delivery, as its log has it.'),
    to: z.string(),
    subject: z.string(),
    text: z.string(),
    created_at: TIME,
    sent_at: TIME.nullable(),
  })
  .meta({ id: 'Mail', description: 'A mail that the hub wrote.' });

const HEALTHY = { status: 'ok', version: '0.1.0', uptime_s: 86_400, store: 'ok' } as const;

/** How the hub is, for monitors, balancers, badges and operators; none of the open ones names a tenant but the badge. */
export const statusRouteRows = {
  health: {
    method: 'GET',
    path: '/health',
    summary: 'Tell whether the hub works',
    access: OPEN,
    query: 'ignored',
    answers: {
      200: json('It does.', health, HEALTHY),
      503: json('It does not.', health, { ...HEALTHY, status: 'failing', store: 'the disk is full' }),
    },
  },
  ready: {
    method: 'GET',
    path: '/ready',
    summary: 'Tell whether the hub takes requests',
    access: OPEN,
    query: 'ignored',
    answers: {
      200: json('It does.', readiness, { ready: true }),
      503: json('It is stopping, or cannot store anything.', readiness, { ready: false }),
    },
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'Figures for Prometheus',
    access: OPEN,
    query: 'ignored',
    answers: { 200: media('text/plain', 'In the text format of Prometheus.', 'svc_agents_connected 1\n') },
  },
  describeApi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'Describe this API',
    access: OPEN,
    query: 'ignored',
    answers: {
      200: json('This document.', description, {
        openapi: '3.1.1',
        info: { title: 'svc', version: '0.1.0' },
      }),
    },
  },
  badge: {
    method: 'GET',
    path: '/{username}/badge.svg',
    summary: 'Show whether an agent of the workspace is connected',
    access: OPEN,
    query: 'ignored',
    answers: {
      200: media('image/svg+xml', 'A badge that says `online` or `offline`.'),
      304: empty('It is the one that `If-None-Match` names.'),
      404: media('image/svg+xml', 'A badge that says that there is no such user.'),
    },
  },
  showOutbox: {
    method: 'GET',
    path: '/outbox',
    summary: 'List the newest mails, for operators',
    access: OPERATOR,
    answers: {
      200: json('The mails.', pageSchema(mail), {
        items: [
          {
            id: EXAMPLE_ID,
            to: 'ada@example.com',
            subject: 'Sign in to svc',
            text: 'Follow this link to sign in: …',
            created_at: EXAMPLE_TIME,
            sent_at: null,
          },
        ],
        next_cursor: null,
      }),
    },
  },
} as const satisfies Routes;
