import { hash } from 'node:crypto';
import { openApiDocument } from '@svc/core/api/openapi/document';
import { type BadgeStatus, badgeSvg } from '@svc/core/badge/badge';
import { redirectFormer } from '../http/former-username.ts';
import type { Handlers } from '../http/handler.ts';
import { jsonResponse, time } from '../platform/http/json-response.ts';
import { reply } from '../platform/http/reply.ts';
import type { HubContext } from './hub-context.ts';

export interface StatusParts {
  /** Whether the store can write now, and if not, why. */
  readonly storeHealth: () => Promise<
    { readonly ok: true } | { readonly ok: false; readonly reason: string }
  >;
  /** The first error that showed damage of the store; undefined: none. */
  readonly storeDamage: () => string | undefined;
  readonly isStopping: () => boolean;
  /** True once the hub is about to stop and still serves. */
  readonly isDraining: () => boolean;
  /** Undefined without a bus. */
  readonly busState: () => 'ok' | 'lost' | undefined;
  /** The metrics in the text format of Prometheus. */
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
}

type Routes = Pick<Handlers, 'health' | 'ready' | 'metrics' | 'describeApi' | 'badge' | 'showOutbox'>;

const BADGE_HEADERS = {
  'Content-Type': 'image/svg+xml; charset=utf-8',
  'Cache-Control': 'no-cache, max-age=0, s-maxage=30',
  'Cross-Origin-Resource-Policy': 'cross-origin',
} as const;
const OUTBOX = 100;

/** The state of the hub for monitors, balancers and badges. It names no tenant. */
export function statusRoutes(context: HubContext, parts: StatusParts): Routes {
  const { storeHealth, storeDamage, isStopping, isDraining, busState, metrics } = parts;
  const startedAtMs = context.clock.nowMs();
  /** Created with the first request, because creating it takes longer than the rest of a start. */
  let description: string | undefined;
  return {
    async health() {
      const damage = storeDamage();
      const store = damage === undefined ? await storeHealth() : { ok: false as const, reason: damage };
      const uptimeSec = Math.floor((context.clock.nowMs() - startedAtMs) / 1000);
      const body = {
        status: store.ok ? ('ok' as const) : ('failing' as const),
        version: context.settings.version,
        uptime_s: uptimeSec,
        store: store.ok ? 'ok' : store.reason,
      };
      return reply(store.ok ? 200 : 503, body);
    },
    async ready() {
      const isLeaving = isDraining();
      const isReady = !isStopping() && !isLeaving && (await storeHealth()).ok;
      const bus = busState();
      const isDamaged = storeDamage() !== undefined;
      // A hub works without the bus. With a 503, the loss of one broker would take all hubs out of service.
      return reply(isReady ? 200 : 503, {
        ready: isReady,
        ...(isLeaving && { draining: true }),
        ...(bus && { bus }),
        ...(isDamaged && { store: 'damaged' as const }),
      });
    },
    async metrics() {
      const { text, contentType } = await metrics();
      return new Response(text, { headers: { 'Content-Type': contentType, 'Cache-Control': 'no-store' } });
    },
    describeApi() {
      description ??= describe(context);
      return jsonResponse(description);
    },
    async badge({ request, parameters: { username } }) {
      const moved = await redirectFormer(context, request, { before: '/', username });
      if (moved !== undefined) return moved;
      const workspace = await context.lookups.workspace(username);
      if (workspace === undefined) return badge(request, 'unknown user', 404);
      return badge(request, context.agents.isOnline(workspace.id) ? 'online' : 'offline', 200);
    },
    async showOutbox() {
      const mails = await context.outbox.recent(OUTBOX);
      const items = mails.map(({ id, to, subject, text, createdAtMs, sentAtMs }) => ({
        id,
        to,
        subject,
        text,
        created_at: time(createdAtMs),
        sent_at: time(sentAtMs),
      }));
      return { items, next_cursor: null };
    },
  };
}

function describe({ settings: { version, hubUrl } }: HubContext): string {
  return JSON.stringify(openApiDocument({ version, url: hubUrl }));
}

function badge(request: Request, status: BadgeStatus, code: number): Response {
  const svg = badgeSvg(status);
  const etag = `"${hash('sha256', svg).slice(0, 16)}"`;
  const headers = { ...BADGE_HEADERS, ETag: etag };
  if (code === 200 && request.headers.get('if-none-match') === etag)
    return new Response(null, { status: 304, headers });
  return new Response(svg, { status: code, headers });
}
