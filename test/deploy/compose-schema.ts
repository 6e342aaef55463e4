import { z } from 'zod';

/** The part of the Compose specification that `deploy/compose.yaml` uses; other keys are refused. */
const duration = z.string().regex(/^(?:\d+h)?(?:\d+m)?(?:\d+s)?$/);
const strings = z.array(z.string());
const mapping = z.record(z.string(), z.string());

const healthcheck = z.strictObject({
  test: z.tuple([z.enum(['CMD', 'CMD-SHELL'])], z.string()),
  interval: duration,
  timeout: duration,
  retries: z.int().positive(),
});

const service = z.strictObject({
  image: z.string().regex(/^[a-z][a-z0-9./-]*(?::[a-z0-9.-]+)?$/),
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
  profiles: strings.optional(),
  command: strings.optional(),
  environment: mapping.default({}),
  volumes: z
    .array(z.string().regex(/^(?:\.\/)?[a-z][\w./-]*:\/[\w./-]+(?::ro)?$/i))
    .optional()
    .default([]),
  tmpfs: strings.default([]),
  ports: z.array(z.string().regex(/^(?:[\d.]+:)?\d+:\d+(?:\/udp)?$/)).default([]),
  networks: z.union([
    strings,
    z.record(z.string(), z.strictObject({ ipv4_address: z.ipv4().optional() }).nullable()),
  ]),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(['service_started', 'service_healthy']) }))
    .default({}),
  healthcheck: healthcheck.optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']),
  stop_grace_period: duration.optional(),
  shm_size: z
    .string()
    .regex(/^\d+[kmg]$/)
    .optional(),
  read_only: z.boolean().optional(),
  cap_drop: strings.optional(),
  cap_add: strings.optional(),
  security_opt: strings.optional(),
  ulimits: z.strictObject({ nofile: z.int() }).optional(),
  logging: z.strictObject({ driver: z.string(), options: mapping }).optional(),
});

const network = z.strictObject({
  internal: z.boolean().optional(),
  ipam: z.strictObject({ config: z.array(z.strictObject({ subnet: z.cidrv4() })) }).optional(),
});

/** Keys that begin with `x-` are for the author of the file. */
export const composeFile = z
  .record(z.string(), z.unknown())
  .transform((file) => Object.fromEntries(Object.entries(file).filter(([key]) => !key.startsWith('x-'))))
  .pipe(
    z.strictObject({
      name: z.string(),
      services: z.record(z.string(), service),
      networks: z.record(z.string(), network.nullable()),
      volumes: z.record(z.string(), z.null()),
    }),
  );

export type ComposeFile = z.infer<typeof composeFile>;
export type ComposeService = ComposeFile['services'][string];
