import { z } from 'zod';
import { configSchema } from './definition/schema.ts';

/** The name of the schema for validators and catalogs, with the version of the format. */
const SCHEMA_ID = 'urn:svc:svc.yaml:1';

/** The JSON Schema of `svc.yaml` (draft 2020-12), for editors. It cannot express rules that combine several keys. */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(configSchema(), { io: 'input' });
  return { $schema, $id: SCHEMA_ID, title: 'svc.yaml', ...schema };
}
