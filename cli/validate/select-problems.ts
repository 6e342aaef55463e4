import { readFileSync } from 'node:fs';
import type { ConfigSource } from '@svc/agent/config-source';
import { selectProblem } from '@svc/agent/try-transform';
import { placesInConfig } from '@svc/core/config/place-in-config';
import type { ConfigProblem } from '@svc/core/config/problem';
import { formatPath } from '@svc/core/config/validation-issue';

/** The source of a valid file, or its problems when jq cannot compile a `select`. */
export async function withSelectsChecked(path: string, source: ConfigSource): Promise<ConfigSource> {
  if (source.kind !== 'config') return source;
  const found: { index: number; message: string }[] = [];
  // One after another: each program has an instance of jq with memory of its own.
  for (const [index, { transform }] of source.config.endpoints.entries()) {
    const reason = transform?.select === undefined ? undefined : await selectProblem(transform.select);
    if (reason !== undefined) found.push({ index, message: `transform.select: ${reason}` });
  }
  if (found.length === 0) return source;
  const placeOf = placesInConfig(readFileSync(path, 'utf8'));
  const problems = found.map(({ index, message }): ConfigProblem => {
    const at = ['endpoints', index, 'transform', 'select'];
    return { message, ...placeOf(at), path: formatPath(at) };
  });
  return { kind: 'problems', problems };
}
