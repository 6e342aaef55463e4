import { readLine } from '../execution/stream/ansi/read-line.ts';

/** The last line that is not blank, without colours and overwritten text. */
export function lastOf(text: string): string | undefined {
  const lines = text.split('\n').map((line) => readLine(line).text);
  return lines.findLast((line) => line.trim() !== '');
}
