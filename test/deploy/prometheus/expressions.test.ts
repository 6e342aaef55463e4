// deploy/prometheus and deploy/grafana: whatever they ask for, a hub exports (docs/operate/metrics.md).
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { EXECUTION_STATES } from '@svc/core/execution/state';
import { natsMissing } from '../../nats.ts';
import { postgresMissing } from '../../postgres.ts';
import { hubsOf, readCompose } from '../compose-file.ts';
import { deployText, deployYaml } from '../deploy-files.ts';
import { type Exported, exportedByHub } from './exported.ts';
import { allExpressions, dashboard, rules } from './expressions.ts';
import { readPromql } from './promql.ts';

setDefaultTimeout(120_000);

const MISSING = postgresMissing ?? natsMissing;
/** The metrics of Prometheus itself, and of the blackbox exporter. */
const NOT_OURS: ReadonlySet<string> = new Set(['up', 'probe_success', 'probe_ssl_earliest_cert_expiry']);
/** Labels that Prometheus adds to what it has read. */
const ADDED: ReadonlySet<string> = new Set(['job', 'instance']);
/** Values that a label had only in a hub that has seen more. */
const CLOSED: Readonly<Record<string, readonly string[]>> = { state: EXECUTION_STATES };

const EXPRESSIONS = allExpressions();

/** A metric of an expression that no program exports. */
function unknownIn(expression: string, exported: Exported): string[] {
  const { selectors, grouped } = readPromql(expression);
  const own = selectors.filter(({ metric }) => !NOT_OURS.has(metric));
  const unknown = own.flatMap(({ metric, matchers }) => {
    const labels = exported.get(metric);
    if (labels === undefined) return [metric];
    const wrong = matchers.filter(({ label, operator, value }) => {
      if (ADDED.has(label)) return false;
      const values = [...(CLOSED[label] ?? []), ...(labels.get(label) ?? [])];
      return !labels.has(label) || (operator === '=' && !values.includes(value));
    });
    return wrong.map(({ label, value }) => `${metric}{${label}="${value}"}`);
  });
  const known = new Set([
    ...ADDED,
    ...own.flatMap(({ metric }) => [...(exported.get(metric)?.keys() ?? [])]),
  ]);
  return [...unknown, ...grouped.filter((label) => !known.has(label)).map((label) => `by (${label})`)];
}

describe.skipIf(MISSING !== undefined)(`a hub${MISSING ? ` (skipped: ${MISSING})` : ''}`, () => {
  let exported: Exported;
  beforeAll(async () => {
    exported = await exportedByHub();
  });

  test.each(EXPRESSIONS.map(({ where, expression }) => [where, expression] as const))(
    'exports what "%s" asks for',
    (_, expression) => {
      expect(unknownIn(expression, exported)).toEqual([]);
    },
  );

  test('does not export what is spelled otherwise, has another label, or another value', () => {
    for (const [expression, wrong] of [
      ['svc_agent_connected', 'svc_agent_connected'],
      ['svc_accept_seconds{le="1"}', 'svc_accept_seconds'],
      ['svc_http_answers_total{state="lost"}', 'svc_http_answers_total{state="lost"}'],
      ['svc_executions_ended_total{state="vanished"}', 'svc_executions_ended_total{state="vanished"}'],
      ['sum by (outcome) (svc_agents_connected)', 'by (outcome)'],
    ] as const)
      expect(unknownIn(expression, exported)).toEqual([wrong]);
  });

  test('has no histogram that the dashboard does not show', () => {
    const shown = new Set(
      EXPRESSIONS.flatMap(({ expression }) => readPromql(expression).selectors.map((s) => s.metric)),
    );
    const histograms = [...exported.keys()].filter((name) => name.endsWith('_bucket'));
    expect(histograms.length).toBeGreaterThan(10);
    expect(histograms.filter((name) => !shown.has(name))).toEqual([]);
  });
});

test('every rule says how bad it is and what that means, and docs/operate/operating.md what to do', async () => {
  const document = await Bun.file(`${import.meta.dir}/../../../docs/operate/operating.md`).text();
  for (const { alert, labels, annotations } of rules()) {
    expect(['page', 'look']).toContain(labels.severity ?? '');
    expect(Object.keys(annotations).toSorted()).toEqual(['description', 'summary']);
    expect(document, alert).toContain(`\`${alert}\``);
  }
  expect(new Set(rules().map(({ alert }) => alert)).size).toBe(rules().length);
});

test('panels have each an id and a place of their own', () => {
  const { panels } = dashboard();
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const taken = new Map<string, string>();
  for (const { title, gridPos } of panels)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect([title, taken.get(`${x} ${y}`)]).toEqual([title, undefined]);
        taken.set(`${x} ${y}`, title);
        expect(x).toBeLessThan(24);
      }
});

test('Prometheus asks the hubs of deploy/compose.yaml, and Grafana shows what is mounted there', () => {
  const compose = readCompose();
  const [prometheus] = deployYaml('prometheus/prometheus.yml') as [
    {
      rule_files: string[];
      scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
    },
  ];
  const hubs = prometheus.scrape_configs.find(({ job_name: name }) => name === 'svc-hub');
  expect(hubs?.static_configs[0]?.targets).toEqual(hubsOf(compose).map(([name]) => `${name}:8787`));
  expect(prometheus.rule_files).toEqual(['alerts.yaml']);
  const outside = deployText('prometheus/prometheus.yml').match(/replacement: '(\w+):\d+'/)?.[1] ?? '';
  expect(Object.keys(compose.services)).toContain(outside);
  const [{ providers }] = deployYaml('grafana/provisioning/dashboards/svc.yaml') as [
    { providers: { options: { path: string } }[] },
  ];
  const mounted = compose.services.grafana?.volumes.find((volume) => volume.includes('dashboard.json')) ?? '';
  expect(mounted).toContain(`:${providers[0]?.options.path}/`);
  const [{ datasources }] = deployYaml('grafana/provisioning/datasources/prometheus.yaml') as [
    { datasources: { url: string }[] },
  ];
  expect(Object.keys(compose.services)).toContain(new URL(datasources[0]?.url ?? '').hostname);
});
