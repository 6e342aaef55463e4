import { Fragment } from 'react';
import { Visible } from '../design/text/Code.tsx';

/** Text whose lines are meant, as those of a command: a line break is one, whatever else does not show is named. */
export function VisibleLines({ text }: { readonly text: string }) {
  return text.split('\n').map((line, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text, which changes as a whole
    <Fragment key={place}>
      {place > 0 && '\n'}
      <Visible text={line} />
    </Fragment>
  ));
}
