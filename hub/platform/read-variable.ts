import { readNetwork } from '@svc/core/alert/address';

// Readers of the text of one variable. Each throws a `ConfigError` that names the variable and what it accepts.

/** An invalid variable, with a sentence for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export function readCommaList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export function readWholeNumber(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
  throw new ConfigError(`${name} is "${text}": a whole number up to ${most} expected`);
}

export function readShare(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^(?:\d+\.?\d*|\.\d+)$/.test(text) && Number(text) <= 1) return Number(text);
  throw new ConfigError(`${name} is "${text}": a number from 0 to 1 expected`);
}

export function readHttpUrl(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^https?:\/\/[^\s/?#]+(?:\/[^\s?#]*)?$/.test(text)) return text.replace(/\/+$/, '');
  throw new ConfigError(`${name} is "${text}": an address that begins with http:// or https:// expected`);
}

export function readNetworks(name: string, text: string | undefined): string[] {
  const networks = readCommaList(text);
  for (const network of networks)
    if (readNetwork(network) === undefined)
      throw new ConfigError(`${name} has "${network}": an address or a network such as 10.0.0.0/8 expected`);
  return networks;
}

export function readKey(name: string, text: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new ConfigError(`${name}: 64 hexadecimal digits expected`);
  return Uint8Array.fromHex(text);
}

export function readOneOf<const Value extends string>(
  name: string,
  text: string,
  values: readonly Value[],
): Value {
  const value = values.find((one) => one === text);
  if (value !== undefined) return value;
  throw new ConfigError(`${name} is "${text}": one of ${values.join(', ')} expected`);
}
