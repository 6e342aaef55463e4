import { Field } from '@base-ui/react/field';
import { classes } from '../../design/classes.ts';
import { CONTROL } from '../../design/form/TextField.tsx';
import type { WireArgument } from '../wire-endpoint.ts';
import { needsValue } from './run-values.ts';

interface FileFieldProps {
  readonly argument: WireArgument;
  /** Undefined: the form cannot send files. */
  readonly onFile: ((file: File | undefined) => void) | undefined;
}

const BUTTON =
  'cursor-pointer file:mr-3 file:cursor-pointer file:rounded file:border file:border-edge file:bg-sunken file:px-2 file:text-ink';

/** The native field: it takes a file by keyboard, from a dialog and dropped on it. */
export function FileField({ argument, onFile }: FileFieldProps) {
  if (onFile === undefined)
    return <p className="text-sm text-soft">Open the endpoint to run it with a file.</p>;
  return (
    <Field.Control
      required={needsValue(argument)}
      className={classes(CONTROL, BUTTON)}
      render={
        <input
          type="file"
          accept={argument.accept?.join(',')}
          onChange={({ currentTarget: { files } }) => onFile(files?.[0])}
        />
      }
    />
  );
}
