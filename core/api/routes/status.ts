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
    store: z.string().describe('`ok`, or why the hub cannot store anything.'),
  })
  .meta({ id: 'Health' });

const readiness = z
  .strictObject({
    ready: z.boolean(),
    draining: z
      .boolean()
      .optional()
      .describe(
        'Present only while the hub prepares to stop: it still serves requests, but balancers should send no new ones.',
      ),
    bus: z
      .enum(['ok', 'lost'])
      .optional()
      .describe(
        'Present only if the hub uses a bus. `lost`: it serves requests, but sees changes of other hubs late.',
      ),
    store: z
      .enum(['damaged'])
      .optional()
      .describe('Present only if the store is damaged. With SQLite the hub is then not ready.'),
  })
  .meta({ id: 'Readiness' });

const description = z
  .looseObject({ openapi: z.string(), info: z.looseObject({ title: z.string(), version: z.string() }) })
  .meta({ id: 'OpenApiDocument', description: 'A document in OpenAPI 3.1.' });

const mail = z
  .strictObject({
    id: z.string().describe('The id of the mail. For an alert it is the id of the delivery.'),
    to: z.string(),
    subject: z.string(),
    text: z.string(),
    created_at: TIME,
    sent_at: TIME.nullable(),
  })
  .meta({ id: 'Mail', description: 'A mail that the hub sends.' });

const HEALTHY = { status: 'ok', version: '0.1.0', uptime_s: 86_400, store: 'ok' } as const;

/** The state of the hub for monitors, balancers, badges and operators. Of the open routes only the badge names a tenant. */
export const statusRouteRows = {
  health: {
    method: 'GET',
    path: '/health',
    summary: 'Check whether the hub works',
    access: OPEN,
    query: 'ignored',
    answers: {
      200: json('The hub works.', health, HEALTHY),
      503: json('The hub does not work.', health, {
        ...HEALTHY,
        status: 'failing',
        store: 'the disk is full',
      }),
    },
  },
  ready: {
    method: 'GET',
    path: '/ready',
    summary: 'Check whether the hub takes requests',
    access: OPEN,
    query: 'ignored',
    answers: {
      200: json('The hub takes requests.', readiness, { ready: true }),
      503: json('The hub is stopping, or cannot store anything.', readiness, { ready: false }),
    },
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'Read the metrics for Prometheus',
    access: OPEN,
    query: 'ignored',
    answers: {
      200: media('text/plain', 'The metrics, in the text format of Prometheus.', 'svc_agents_connected 1\n'),
    },
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
      304: empty('The badge has not changed since the one that `If-None-Match` names.'),
      308: empty('The workspace has a new username: `Location` is the path with it.'),
      404: media('image/svg+xml', 'A badge that says that there is no such user.'),
    },
    refusals: ['username_gone'],
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
