import { useState } from 'react';
import { TextField } from '../../design/form/TextField.tsx';

interface NameFieldProps {
  readonly id: string;
  readonly problem: string | undefined;
  readonly onRename: (id: string) => void;
}

const NODE_ID = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** The name of a node. It takes effect when typing ends, because references and edges use it. */
export function NameField({ id, problem, onRename }: NameFieldProps) {
  const [text, setText] = useState(id);
  const isName = NODE_ID.test(text);
  const commit = () => {
    if (isName && text !== id) onRename(text);
    else setText(id);
  };
  return (
    <TextField
      label="Name"
      value={text}
      onChange={setText}
      isCode
      hint={`Reference its output as {steps.${isName ? text : id}.output}.`}
      problem={isName ? problem : 'Use letters, digits, "_" or "-", starting with a letter or "_".'}
      input={{
        onBlur: commit,
        onKeyDown: ({ key }) => {
          if (key === 'Enter') commit();
        },
      }}
    />
  );
}
