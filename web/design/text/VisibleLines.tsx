import { Fragment } from 'react';
import { Visible } from './Code.tsx';

/** Text with line breaks, such as a command: lines break, and every other invisible character is shown by name. */
export function VisibleLines({ text }: { readonly text: string }) {
  return text.split('\n').map((line, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text, which changes as a whole
    <Fragment key={place}>
      {place > 0 && '\n'}
      <Visible text={line} />
    </Fragment>
  ));
}
