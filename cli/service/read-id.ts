import { InvalidArgumentError } from 'commander';

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads the id of an execution or an approval, so that a typing error fails before any request. */
export function readId(text: string): string {
  if (!ID.test(text)) throw new InvalidArgumentError('expected an id from the list.');
  return text;
}
