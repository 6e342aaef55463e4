import { LIMITS } from '../../../plan/limits.ts';
import type { ArgumentType, ItemType } from '../../definition.ts';
import { DEFAULT_SCHEMES } from './url.ts';

/** The parts of an argument that decide which values it accepts. */
interface Accepting {
  readonly type: ArgumentType;
  readonly items?: ItemType | undefined;
  readonly maxItems?: number | undefined;
  readonly choices?: readonly string[] | undefined;
  readonly root?: string | undefined;
  readonly schemes?: readonly string[] | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly maxBytes?: number | undefined;
  readonly accept?: readonly string[] | undefined;
}

/**
 * The accepted values of an argument in plain words, for messages, forms and documents. The text follows "the argument
 * accepts".
 */
export function acceptedBy(argument: Accepting): string {
  const { choices = [], root, schemes = DEFAULT_SCHEMES, hosts } = argument;
  switch (argument.type) {
    case 'word':
      return '1 to 255 letters, digits, ".", "_" or "-", the first neither "-" nor "."';
    case 'integer':
      return 'a whole number, as in 42';
    case 'number':
      return 'a number, as in 4.2';
    case 'boolean':
      return 'true or false';
    case 'enum':
      return `one of ${choices.join(', ')}`;
    case 'path':
      return `a path${root === undefined ? '' : ` inside ${root}`} that begins with neither "-" nor "~"`;
    case 'url':
      return `a URL with the scheme ${schemes.join(' or ')}${hosts === undefined ? '' : `, on ${hosts.join(' or ')}`}, without a password`;
    case 'ref':
      return 'the name of a git branch or tag, without ":" and "+"';
    case 'list': {
      const { items = 'word', maxItems = LIMITS.defaultListItems } = argument;
      return `a list of 1 to ${maxItems} items, each ${acceptedBy({ ...argument, type: items })}`;
    }
    case 'json':
      return 'a JSON value';
    case 'file': {
      const { maxBytes = LIMITS.defaultFileBytes, accept } = argument;
      return `a file${accept === undefined ? '' : ` of type ${accept.join(' or ')}`}, at most ${maxBytes} bytes`;
    }
    case 'text':
    case 'code':
      return 'any text';
  }
}
