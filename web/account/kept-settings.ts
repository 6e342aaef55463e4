/** The settings of a browser, whoever uses it: they say nothing about a person or a workspace. */
const OF_BROWSER = [
  'svc.theme',
  'svc.executions.columns',
  'svc.output.times',
  'svc.output.wrap',
  'svc.first-run',
] as const;

/** The settings of one account in this browser, which other accounts do not see. */
const OF_ACCOUNT = 'svc.of.';

type Store = Pick<Storage, 'length' | 'key' | 'getItem'>;

/** The key under which this browser stores a setting of an account, such as its saved views. */
export function accountKey(accountId: string, name: string): string {
  return `${OF_ACCOUNT}${accountId}.${name}`;
}

/** What a sign-out keeps of `localStorage` (decision 117, what a sign-out keeps): everything else is cleared. */
export function keptSettings(store: Store): readonly (readonly [key: string, value: string])[] {
  const keys = Array.from({ length: store.length }, (_, place) => store.key(place) ?? '');
  return keys
    .filter((key) => key.startsWith(OF_ACCOUNT) || OF_BROWSER.some((one) => one === key))
    .map((key) => [key, store.getItem(key) ?? ''] as const);
}
