import { DaemonSet } from 'kubernetes-models/apps/v1/DaemonSet';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';

interface ModelClass {
  readonly apiVersion: string;
  readonly kind: string;
  new (data: never): { validate(): void };
}

const MODELS: readonly ModelClass[] = [
  ConfigMap,
  DaemonSet,
  Deployment,
  Ingress,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceAccount,
];

export interface KubernetesDocument {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/**
 * The problems of a document by the schemas that Kubernetes publishes, and its keys that these do not have.
 *
 * Kubernetes drops unknown keys, so the schemas allow them. A key that the check of the schema never reads is one of these.
 */
export function problemsOf(document: KubernetesDocument): string[] {
  const { apiVersion, kind } = document;
  const Model = MODELS.find((model) => model.apiVersion === apiVersion && model.kind === kind);
  if (Model === undefined) return [`no schema for ${apiVersion} ${kind}`];
  const read = new Set<string>();
  const model = new Model(document as never);
  // Not before: what it is made from is copied, key by key.
  for (const [key, value] of Object.entries(model)) Reflect.set(model, key, watch(value, `/${key}`, read));
  try {
    model.validate();
  } catch (error) {
    return [(error as Error).message];
  }
  const keys = Object.entries(document).flatMap(([key, value]) => pathsIn(value, `/${key}`));
  return keys.filter((path) => !read.has(path)).map((path) => `${path} is not known`);
}

/** Notes the path of each key of an object that is read, however deep. */
function watch(value: unknown, path: string, read: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      if (typeof key === 'symbol') return Reflect.get(target, key) as unknown;
      read.add(`${path}/${key}`);
      return watch(Reflect.get(target, key), `${path}/${key}`, read);
    },
  });
}

function pathsIn(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const own = `${path}/${key}`;
    return [own, ...pathsIn(inner, own)];
  });
}
