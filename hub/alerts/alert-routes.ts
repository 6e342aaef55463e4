import type { RouteBodyOf } from '@svc/core/api/routes';
import { oncePerKey } from '@svc/core/once-per-key';
import type { Accounts } from '../accounts/store/account-store.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import type { Acting } from '../http/identity.ts';
import { time } from '../platform/http/json-response.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import { pageOf } from '../platform/page-of-items.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { AlertRule, DeliveryFilter, LoggedDelivery } from './alert-ports.ts';
import type { FanOutDeps } from './fan-out.ts';
import {
  type AlertDeps,
  changeRule,
  deleteRule,
  makeRule,
  noSuchRule,
  type RuleChanges,
  rotateCallbackSecret,
  rotateRuleSecret,
  testRule,
} from './manage-alerts.ts';
import { type OpenSecretTarget, type OpenTargetDeps, ruleProblem } from './open-target.ts';

export interface AlertRoutesDeps {
  readonly accounts: Accounts;
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  readonly random: Random;
  readonly mutex: KeyedMutex;
  readonly vault: Vault;
}

type Routes = Pick<
  Handlers,
  | 'makeAlert'
  | 'listAlerts'
  | 'showAlert'
  | 'changeAlert'
  | 'deleteAlert'
  | 'rotateAlertSecret'
  | 'testAlert'
  | 'listAlertDeliveries'
  | 'listCallbackDeliveries'
  | 'rotateCallbackSecret'
>;

/** The number of test alerts per rule and minute. The limit keeps the button from becoming a tool to flood a receiver. */
const TESTS_PER_MINUTE = 10;

/** The parts of alerts that the handlers use besides their deps. */
export interface AlertParts extends Omit<AlertDeps & FanOutDeps & OpenTargetDeps, keyof AlertRoutesDeps> {
  /** Called when a delivery is ready to send. */
  readonly onAlertStored: () => void;
}

/** Alert rules and their deliveries (decision 39, alerts). */
export function alertRoutes(deps: AlertRoutesDeps, parts: AlertParts): Routes {
  const ports = { ...deps, ...parts };
  const find = async ({ workspace }: Acting, id: string): Promise<AlertRule> => {
    const rule = await parts.alertRules.find(workspace.id, id);
    if (rule === undefined) throw noSuchRule();
    return rule;
  };
  const described = async (rule: AlertRule, { openSecretTarget } = ports) =>
    describe(rule, await ruleProblem({ ...ports, openSecretTarget }, rule));
  return {
    async makeAlert({ request, acting: { member, workspace }, body }) {
      const { endpoint: slug, agent: agentName, enabled: isEnabled, no_success_mins, ...wanted } = body;
      const fields = { ...wanted, slug, agentName, isEnabled, noSuccessMins: no_success_mins };
      const by = sourceOf(deps, request, member);
      const who = { workspaceId: workspace.id, userId: member.userId, by };
      const { rule, secret } = await makeRule(ports, who, fields);
      return { ...(await described(rule)), secret: secret ?? null };
    },
    async listAlerts({ acting, query }) {
      const rules = await parts.alertRules.of(acting.workspace.id);
      const page = pageOf(rules, ({ id }) => id, query);
      // Most rules of files name the same secret.
      const openSecretTarget = oncePerKey(
        (...[, name, { tokenId, instance }]: Parameters<OpenSecretTarget>) =>
          `${name} ${tokenId} ${instance}`,
        parts.openSecretTarget,
      );
      return {
        ...page,
        items: await Promise.all(page.items.map((rule) => described(rule, { ...ports, openSecretTarget }))),
      };
    },
    async showAlert({ acting, parameters: { id } }) {
      return await described(await find(acting, id));
    },
    async changeAlert({ request, acting, parameters: { id }, body }) {
      const by = sourceOf(deps, request, acting.member);
      const changed = await changeRule(ports, await find(acting, id), changesOf(body), by);
      parts.onAlertStored();
      return await described(changed);
    },
    async deleteAlert({ request, acting, parameters: { id } }) {
      await deleteRule(ports, await find(acting, id), sourceOf(deps, request, acting.member));
    },
    async rotateAlertSecret({ request, acting, parameters: { id } }) {
      const by = sourceOf(deps, request, acting.member);
      return { secret: await rotateRuleSecret(ports, await find(acting, id), by) };
    },
    async testAlert({ acting, parameters: { id } }) {
      const rule = await find(acting, id);
      deps.limiter.take(`alert test ${acting.workspace.id}`, TESTS_PER_MINUTE);
      const deliveryId = await testRule(ports, rule);
      parts.onAlertStored();
      return { delivery_id: deliveryId };
    },
    async listAlertDeliveries({ acting, parameters: { id }, query }) {
      const { id: ruleId, workspaceId } = await find(acting, id);
      return await deliveries(parts, { workspaceId, ruleId, ...query });
    },
    async listCallbackDeliveries({ acting: { workspace }, query }) {
      return await deliveries(parts, { workspaceId: workspace.id, ruleId: undefined, ...query });
    },
    async rotateCallbackSecret({ request, acting: { member, workspace } }) {
      const by = sourceOf(deps, request, member);
      return { secret: await rotateCallbackSecret(ports, workspace.id, by) };
    },
  };
}

/** Null removes a filter; an absent field leaves it unchanged. */
function changesOf({
  name,
  events,
  target,
  endpoint,
  agent,
  enabled,
  no_success_mins: noSuccessMins,
}: RouteBodyOf<'changeAlert'>): RuleChanges {
  return {
    ...(name === undefined ? {} : { name }),
    ...(events === undefined ? {} : { events }),
    ...(target === undefined ? {} : { target }),
    ...(endpoint === undefined ? {} : { slug: endpoint ?? undefined }),
    ...(agent === undefined ? {} : { agentName: agent ?? undefined }),
    ...(enabled === undefined ? {} : { isEnabled: enabled }),
    ...(noSuccessMins === undefined ? {} : { noSuccessMins: noSuccessMins ?? undefined }),
  };
}

async function deliveries(
  { alertRules }: AlertParts,
  filter: Omit<DeliveryFilter, 'cursor'> & { readonly cursor?: string | undefined },
) {
  const { cursor, ...rest } = filter;
  const page = await alertRules.deliveries({ ...rest, ...(cursor === undefined ? {} : { cursor }) });
  return { items: page.items.map(describeDelivery), next_cursor: page.nextCursor ?? null };
}

function describe(rule: AlertRule, problem: string | undefined) {
  return {
    id: rule.id,
    name: rule.name,
    events: rule.events,
    endpoint: rule.slug ?? null,
    agent: rule.agentName ?? null,
    channel: rule.channel,
    target: rule.shownTarget,
    enabled: rule.isEnabled,
    problem: problem ?? null,
    no_success_mins: rule.noSuccessMins ?? null,
    source: rule.declared === undefined ? ('api' as const) : ('config' as const),
    created_by: rule.declared === undefined ? rule.createdBy : null,
    created_at: time(rule.createdAtMs),
  };
}

function describeDelivery(delivery: LoggedDelivery) {
  return {
    id: delivery.id,
    event: delivery.event,
    state: delivery.state,
    tries: delivery.tries,
    created_at: time(delivery.createdAtMs),
    tried_at: time(delivery.triedAtMs),
    next_try_at: time(delivery.nextAtMs),
    response_status: delivery.responseStatus ?? null,
    error: delivery.error ?? null,
  };
}
