import { readHubConfig } from '@svc/hub/config';

/** With these a hub reads all the others. */
const MINIMUM = {
  DATABASE_URL: 'postgres://db/svc',
  SVC_MASTER_KEY: '0'.repeat(64),
  NATS_URL: 'nats://nats',
};

/** The names of all variables that a hub reads: `hub/config.ts` is asked which. */
export function hubVariables(): ReadonlySet<string> {
  const names = new Set<string>();
  const environment = new Proxy<Record<string, string>>(MINIMUM, {
    get(target, name) {
      names.add(String(name));
      return Reflect.get(target, name) as unknown;
    },
  });
  readHubConfig(environment);
  return names;
}
