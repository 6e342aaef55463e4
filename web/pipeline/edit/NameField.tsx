import { useState } from 'react';
import { TextField } from '../../design/form/TextField.tsx';

interface NameFieldProps {
  readonly id: string;
  readonly problem: string | undefined;
  readonly onRename: (id: string) => void;
}

const NODE_ID = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** The name of a node: given when it is whole, because references and edges go by it. */
export function NameField({ id, problem, onRename }: NameFieldProps) {
  const [text, setText] = useState(id);
  const isName = NODE_ID.test(text);
  const give = () => {
    if (isName && text !== id) onRename(text);
    else setText(id);
  };
  return (
    <TextField
      label="Name"
      value={text}
      onChange={setText}
      isCode
      hint={`Others refer to it as {steps.${isName ? text : id}.output}.`}
      problem={isName ? problem : 'Letters, digits, "_" and "-", the first a letter or "_", expected.'}
      input={{
        onBlur: give,
        onKeyDown: ({ key }) => {
          if (key === 'Enter') give();
        },
      }}
    />
  );
}
