import { atValue, type Path } from './validation-issue.ts';
import { readYaml } from './yaml/read-yaml.ts';
import { normalizedText } from './yaml/readable-text.ts';
import { type TextPosition, textPositions } from './yaml/text-position.ts';

/**
 * Returns a function that finds the position of a value in a config file by its path. In a text that is not YAML every
 * value is at the start of the file.
 */
export function placesInConfig(text: string): (path: Path) => TextPosition {
  const source = normalizedText(text);
  const positionOf = textPositions(source);
  const read = readYaml(source, positionOf);
  return (path) => positionOf(read.kind === 'document' ? read.document.offsetOf(atValue(path, '')) : 0);
}
