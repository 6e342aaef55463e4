import { Fragment } from 'react';

/** Behind each mark but those of host and port; the two slashes behind the scheme stay together. */
const MARKS = /(?<=[/,;?&=#_-])(?!\/)/;

/** A URL that breaks behind a slash or another mark where it does not fit, and within a word only where that alone does not fit. */
export function UrlText({ url, method }: { readonly url: string; readonly method?: string }) {
  return (
    <code className="wrap-anywhere">
      {method !== undefined && `${method} `}
      {url.split(MARKS).map((part, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of an address keep their order
        <Fragment key={place}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </code>
  );
}
