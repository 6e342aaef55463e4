import { describe, expect, test } from 'bun:test';
import { readCallback } from './callback-url.ts';

const URL_TEXT = 'https://ci.example.com/done';
const none = () => false;
const values = (given: Record<string, string>) => new Map(Object.entries(given));

describe('the callback of a call', () => {
  test('is taken out of the values, and all other values stay', () => {
    const given = values({ name: 'Ada', callback_url: URL_TEXT });
    expect(readCallback({ header: null, values: given, takesArgument: none })).toEqual({
      callbackUrl: URL_TEXT,
      values: values({ name: 'Ada' }),
    });
  });

  test('stays a value for an endpoint with an argument of that name, which takes the header', () => {
    const given = values({ callback_url: URL_TEXT });
    const takesArgument = (name: string) => name === 'callback_url';
    expect(readCallback({ header: null, values: given, takesArgument })).toEqual({
      callbackUrl: undefined,
      values: given,
    });
    expect(readCallback({ header: 'https://a.example', values: given, takesArgument })).toEqual({
      callbackUrl: 'https://a.example',
      values: given,
    });
  });

  test('is one: two that differ are refused', () => {
    const given = values({ callback_url: URL_TEXT });
    const read = (header: string) => readCallback({ header, values: given, takesArgument: none });
    expect(read(URL_TEXT).callbackUrl).toBe(URL_TEXT);
    expect(() => read('https://b.example')).toThrow('callback_url and X-Callback-Url differ');
  });
});
