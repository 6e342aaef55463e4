import { randomBytes } from 'node:crypto';
import { type ComposeFile, type ComposeService, composeFile } from './compose-schema.ts';
import { deployYaml, environmentFile } from './deploy-files.ts';
import { interpolate, type Variables } from './interpolate.ts';

export const ENVIRONMENT_EXAMPLE = 'svc.env.example';
const SECRETS = ['SVC_MASTER_KEY', 'POSTGRES_PASSWORD', 'NATS_PASSWORD'] as const;

/** The example, filled in as its comments ask. */
export function filledInExample(): Variables {
  const made = SECRETS.map((name) => [name, randomBytes(32).toHex()]);
  return { ...environmentFile(ENVIRONMENT_EXAMPLE), ...Object.fromEntries(made) };
}

/** `deploy/compose.yaml` as Compose reads it with these variables. */
export function readCompose(variables: Variables = filledInExample()): ComposeFile {
  return composeFile.parse(interpolate(deployYaml('compose.yaml')[0], variables));
}

/** Its hubs, by name. */
export function hubsOf({ services }: ComposeFile): [name: string, hub: ComposeService][] {
  return Object.entries(services).filter(([, { image }]) => image === 'svc');
}

/** The networks of a service, whose file may have them as a list or as an object. */
export function networksOf({ networks }: ComposeService): string[] {
  return Array.isArray(networks) ? networks : Object.keys(networks);
}

/** `1m30s` in seconds. */
export function secondsOf(duration: string): number {
  const [, hours = 0, minutes = 0, seconds = 0] =
    /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration)?.map(Number) ?? [];
  return (hours || 0) * 3600 + (minutes || 0) * 60 + (seconds || 0);
}
