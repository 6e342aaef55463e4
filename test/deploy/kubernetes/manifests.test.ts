// deploy/kubernetes: documents by the published schemas, that fit each other and the hub (docs/operate/operating.md).
import { describe, expect, test } from 'bun:test';
import { basename } from 'node:path';
import { ROUTES } from '@svc/core/api/routes';
import { readHubConfig } from '@svc/hub/config';
import type { IDaemonSet } from 'kubernetes-models/apps/v1/DaemonSet';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import type { ISecret } from 'kubernetes-models/v1/Secret';
import type { IService } from 'kubernetes-models/v1/Service';
import { deployText, deployYaml, filesIn } from '../deploy-files.ts';
import { hubVariables } from '../hub-variables.ts';
import { type KubernetesDocument, problemsOf } from './check-document.ts';

/** After its drain a hub waits this long for unfinished answers (cli/hub/hub.ts). */
const HUB_GRACE_SEC = 30;
const KUSTOMIZATION = 'kubernetes/kustomization.yaml';
const FILES = filesIn('kubernetes').filter((file) => file !== KUSTOMIZATION);
const DOCUMENTS = FILES.flatMap((file) =>
  (deployYaml(file) as KubernetesDocument[]).map((document) => ({ file, document })),
);

/** The document of this kind and name, wherever it stands. */
function find<Document>(kind: string, name: string): Document {
  const found = DOCUMENTS.find(({ document }) => document.kind === kind && document.metadata.name === name);
  return (found?.document ?? expect.unreachable(`no ${kind} ${name}`)) as unknown as Document;
}

const hub = find<IDeployment>('Deployment', 'hub');
const pod = hub.spec?.template.spec ?? expect.unreachable();
const hosts = find<IDaemonSet>('DaemonSet', 'runner-host').spec?.template.spec ?? expect.unreachable();
const settings = find<IConfigMap>('ConfigMap', 'hub').data ?? {};
const secrets = find<ISecret>('Secret', 'hub').stringData ?? {};

test.each(
  DOCUMENTS.map(({ file, document }) => [document.kind, document.metadata.name, file, document] as const),
)('%s %s of %s is valid for Kubernetes, which knows all of its fields', (_kind, _name, _file, document) => {
  expect(problemsOf(document)).toEqual([]);
});

describe('the check of a document', () => {
  type Change = (container: Record<string, unknown>, spec: Record<string, unknown>) => void;
  test.each<[string, Change, string]>([
    ['a key that nobody knows', (container) => (container.readinesProbe = {}), '/readinesProbe is not known'],
    ['a value of another type', (_, spec) => (spec.replicas = 'three'), 'replicas must be integer'],
    ['what has to be there and is not', (_, spec) => delete spec.selector, 'required property selector'],
  ])('refuses %s', (_, change, problem) => {
    const broken = structuredClone(hub) as unknown as {
      spec: { template: { spec: { containers: object[] } } };
    };
    change(broken.spec.template.spec.containers[0] as Record<string, unknown>, broken.spec);
    expect(problemsOf(broken as unknown as KubernetesDocument).join()).toContain(problem);
  });

  test('refuses a kind that it has no schema for', () => {
    const other = { apiVersion: 'v1', kind: 'Deployment', metadata: { name: 'hub' } };
    expect(problemsOf(other)).toEqual(['no schema for v1 Deployment']);
  });
});

test('every file is in the kustomization, or a line in it that can be taken in', () => {
  const [{ resources }] = deployYaml(KUSTOMIZATION) as [{ resources: string[] }];
  const names = FILES.map((file) => basename(file));
  expect(resources.filter((name) => !names.includes(name))).toEqual([]);
  const left = names.filter((name) => !resources.includes(name));
  expect(left).toEqual(['runner-host.yaml', 'secret.example.yaml']);
  expect(deployText(KUSTOMIZATION)).toContain('# - runner-host.yaml');
});

test('sets only variables that a hub reads, with valid values', () => {
  const received = { ...settings, ...secrets };
  const known = hubVariables();
  expect(Object.keys(received).filter((name) => !known.has(name))).toEqual([]);
  const filledIn = Object.entries(received).map(([name, value]) => [
    name,
    value.replace('REPLACE', '0'.repeat(64)),
  ]);
  expect(readHubConfig(Object.fromEntries(filledIn))).toMatchObject({ hubUrl: 'https://svc.example.com' });
  // With the values of the example it does not start.
  expect(() => readHubConfig(received)).toThrow('SVC_MASTER_KEY');
  const [container] = pod.containers;
  expect(container?.envFrom).toEqual([{ configMapRef: { name: 'hub' } }, { secretRef: { name: 'hub' } }]);
});

test('a hub has the time to drain and to finish before it is killed', () => {
  const { drainSec } = readHubConfig({ SVC_DRAIN_S: settings.SVC_DRAIN_S });
  expect(drainSec).toBeGreaterThan(0);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drainSec + HUB_GRACE_SEC + 10);
  // Two refusals in a row take it out of the Service, well before it stops.
  const { periodSeconds = 10, failureThreshold = 3 } = pod.containers[0]?.readinessProbe ?? {};
  expect(periodSeconds * failureThreshold).toBeLessThan(drainSec);
});

test('probes ask routes that there are, on a port that there is; alive is also who has no database', () => {
  const paths = new Set(Object.values(ROUTES).map(({ path }) => path as string));
  const { startupProbe, readinessProbe, livenessProbe, ports } = pod.containers[0] ?? expect.unreachable();
  for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
    expect([...paths]).toContain(probe?.httpGet?.path ?? '');
    expect(ports?.map(({ name }) => name)).toContain(String(probe?.httpGet?.port));
  }
  expect([readinessProbe?.httpGet?.path, livenessProbe?.httpGet?.path]).toEqual(['/ready', '/metrics']);
});

test('a new hub is ready before an old one goes, and draining nodes takes one at a time', () => {
  expect(hub.spec?.replicas).toBeGreaterThanOrEqual(2);
  expect(hub.spec?.strategy).toEqual({
    type: 'RollingUpdate',
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
  });
  expect(find<IPodDisruptionBudget>('PodDisruptionBudget', 'hub').spec?.maxUnavailable).toBe(1);
});

test('every selector of hubs selects their pods', () => {
  const labels = hub.spec?.template.metadata?.labels;
  for (const selected of [
    hub.spec?.selector.matchLabels,
    pod.topologySpreadConstraints?.[0]?.labelSelector?.matchLabels,
    find<IService>('Service', 'hub').spec?.selector,
    find<IPodDisruptionBudget>('PodDisruptionBudget', 'hub').spec?.selector?.matchLabels,
    find<INetworkPolicy>('NetworkPolicy', 'hub').spec?.podSelector?.matchLabels,
  ])
    expect(labels).toMatchObject(selected ?? expect.unreachable());
});

test('the Ingress, the Service and the policy lead to the port of the hub', () => {
  const service = find<IService>('Service', 'hub').spec?.ports?.[0];
  expect(pod.containers[0]?.ports?.map(({ name }) => name)).toEqual([String(service?.targetPort)]);
  const { rules = [], tls = [] } = find<IIngress>('Ingress', 'hub').spec ?? {};
  for (const { backend } of rules[0]?.http?.paths ?? [])
    expect(find<IService>('Service', backend.service?.name ?? '').spec?.ports?.[0]?.name).toBe(
      backend.service?.port?.name ?? '',
    );
  expect(new URL(settings.SVC_HUB_URL ?? '').host).toBe(rules[0]?.host ?? '');
  expect(tls[0]?.hosts).toEqual([rules[0]?.host ?? '']);
  const allowed = find<INetworkPolicy>('NetworkPolicy', 'hub').spec?.ingress?.[0]?.ports;
  expect(allowed).toEqual([{ port: String(service?.targetPort), protocol: 'TCP' }]);
});

test.each<[string, IPodSpec]>([
  ['hubs', pod],
  ['runner hosts', hosts],
])('%s mount volumes that there are', (_, spec) => {
  const volumes = spec.volumes?.map(({ name }) => name).toSorted();
  const containers: IContainer[] = [...(spec.initContainers ?? []), ...spec.containers];
  const mounted = containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name));
  expect([...new Set(mounted)].toSorted()).toEqual(volumes ?? []);
});

test('the user of a hub has no rights on a read-only file system; its data is at the configured path', () => {
  const dockerfile = deployText('Dockerfile');
  expect(dockerfile).toContain(`useradd --uid ${pod.securityContext?.runAsUser} `);
  expect(pod.containers[0]?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  const data = pod.containers[0]?.volumeMounts?.find(({ name }) => name === 'data');
  expect(dockerfile).toContain(`SVC_DATA_DIR=${data?.mountPath} `);
});
