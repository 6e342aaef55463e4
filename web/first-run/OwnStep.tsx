import { Link } from '@tanstack/react-router';
import { CodeBlock } from '../design/text/Code.tsx';

const SAMPLE = `endpoints:
  - name: disk
    command: df -h {{folder}}
    args:
      - name: folder
        default: /`;

interface OwnStepProps {
  readonly isDone: boolean;
  /** The step is the next one to do. */
  readonly isCurrent: boolean;
}

/** An endpoint of one's own: in svc.yaml, or created here. */
export function OwnStep({ isDone, isCurrent }: OwnStepProps) {
  if (isDone) return <p className="text-soft">Your own command has a URL.</p>;
  if (!isCurrent) return <p className="text-soft">Give a command of yours a URL, in svc.yaml or here.</p>;
  return (
    <>
      <p className="max-w-prose">
        Add the command to <code>svc.yaml</code>; the agent registers it within a second. Or{' '}
        <Link to="/endpoints/new" className="text-accent underline">
          create the endpoint here
        </Link>
        .
      </p>
      <CodeBlock text={SAMPLE} copyLabel="Copy YAML" />
    </>
  );
}
