import { Link } from '@tanstack/react-router';
import { useAccount } from '../account/account.ts';
import { Button } from '../design/Button.tsx';
import { Page } from '../design/Page.tsx';
import { CodeBlock } from '../design/text/Code.tsx';
import { AgentStep } from './AgentStep.tsx';
import { KeyStep } from './KeyStep.tsx';
import { RunStep } from './RunStep.tsx';
import { Step } from './Step.tsx';
import { Username } from './Username.tsx';
import type { FirstRunState } from './use-first-run.ts';

/** The onboarding: three steps to the first call, one to an endpoint of your own; each is done once the hub sees it happen. */
export function FirstRun({ state }: { readonly state: FirstRunState }) {
  const { username } = useAccount();
  const { hasAgent, hasKey, hasRun, hasOwn, close } = state;
  if (username === null) return <Username />;
  const isDone = hasAgent && hasKey && hasRun;
  return (
    <Page
      title={isDone ? 'You are set up' : 'Three steps to your first call'}
      about={
        isDone
          ? 'Your commands run when their URLs are called. This page now shows all activity.'
          : 'Commands run on your machine; this hub gives them URLs. Each step is marked as done when it happens.'
      }
      actions={
        <Button kind={isDone ? 'primary' : 'quiet'} onClick={close}>
          {isDone ? 'Go to Now' : 'Skip to Now'}
        </Button>
      }
    >
      <ol className="flex flex-col">
        <Step number={1} title="Start an agent" isDone={hasAgent} isCurrent={!hasAgent}>
          <AgentStep isDone={hasAgent} />
        </Step>
        <Step number={2} title="Create an API key" isDone={hasKey} isCurrent={hasAgent && !hasKey}>
          <KeyStep isDone={hasKey} isCurrent={hasAgent && !hasKey} />
        </Step>
        <Step number={3} title="Run a command" isDone={hasRun} isCurrent={hasAgent && hasKey && !hasRun}>
          <RunStep />
        </Step>
        <Step number={4} title="Add your own command" isDone={hasOwn} isCurrent={isDone && !hasOwn}>
          <OwnStep isDone={hasOwn} isCurrent={isDone && !hasOwn} />
        </Step>
      </ol>
    </Page>
  );
}

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
function OwnStep({ isDone, isCurrent }: OwnStepProps) {
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
