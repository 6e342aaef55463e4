import { atValue, type Path } from './validation-issue.ts';
import { readYaml } from './yaml/read-yaml.ts';
import { normalizedText } from './yaml/readable-text.ts';
import { type TextPosition, textPositions } from './yaml/text-position.ts';

/** Makes the look-up of where a value stands in a config file; the start of the file for a text that is no YAML. */
export function placesInConfig(text: string): (path: Path) => TextPosition {
  const source = normalizedText(text);
  const positionOf = textPositions(source);
  const read = readYaml(source, positionOf);
  return (path) => positionOf(read.kind === 'document' ? read.document.offsetOf(atValue(path, '')) : 0);
}
