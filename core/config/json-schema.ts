import { z } from 'zod';
import { configSchema } from './definition/schema.ts';

/** The JSON Schema of `svc.yaml` (draft 2020-12), for editors; what needs several keys at once is beyond it. */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: 'input' });
  return { $schema, title: 'svc.yaml', ...schema };
}
