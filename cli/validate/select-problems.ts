import { readFileSync } from 'node:fs';
import type { ConfigSource } from '@svc/agent/config-source';
import { selectProblem } from '@svc/agent/try-transform';
import type { ConfigProblem } from '@svc/core/config/problem';
import { atValue, formatPath, type Path } from '@svc/core/config/validation-issue';
import { readYaml } from '@svc/core/config/yaml/read-yaml';
import { normalizedText } from '@svc/core/config/yaml/readable-text';
import { type TextPosition, textPositions } from '@svc/core/config/yaml/text-position';

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

/**
 * Returns a function that finds the position of a value in a config file by its path. In a text that is not YAML every
 * value is at the start of the file.
 */
function placesInConfig(text: string): (path: Path) => TextPosition {
  const source = normalizedText(text);
  const positionOf = textPositions(source);
  const read = readYaml(source, positionOf);
  return (path) => positionOf(read.kind === 'document' ? read.document.offsetOf(atValue(path, '')) : 0);
}
