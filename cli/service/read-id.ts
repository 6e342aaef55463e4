import { InvalidArgumentError } from 'commander';

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of an execution or an approval, so that a slip is told before anybody is asked. */
export function readId(text: string): string {
  if (!ID.test(text)) throw new InvalidArgumentError('an id as the list shows it is expected.');
  return text;
}
