import { Fragment } from 'react';

/** A URL that breaks behind a slash where it does not fit. */
export function UrlText({ url, method }: { readonly url: string; readonly method?: string }) {
  return (
    <code className="wrap-anywhere">
      {method !== undefined && `${method} `}
      {url.split(/(?<=\/)/).map((part, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of an address keep their order
        <Fragment key={place}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </code>
  );
}
