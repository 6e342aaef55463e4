import { useId } from 'react';
import { TextField } from '../../design/form/TextField.tsx';
import { useEndpoint } from './use-endpoint.ts';

interface EndpointFieldProps {
  readonly value: string;
  readonly onChange: (slug: string) => void;
  readonly problem: string | undefined;
}

/** The name of an endpoint, with suggestions. */
export function EndpointField({ value, onChange, problem }: EndpointFieldProps) {
  const id = useId();
  const { found } = useEndpoint(value);
  return (
    <>
      <TextField
        label="Endpoint"
        value={value}
        onChange={onChange}
        isCode
        problem={problem}
        input={{ list: id, autoComplete: 'off' }}
      />
      <datalist id={id}>
        {found.map(({ slug }) => (
          <option key={slug} value={slug} />
        ))}
      </datalist>
    </>
  );
}
