import type { AlertEventName } from '@svc/core/alert/event';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Item, readPages } from '../api/read.ts';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Mark } from '../design/state/Mark.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import { EVENT_WORDS } from './rule-words.ts';

type Delivery = Item<'listAlertDeliveries'>;

const STATE = {
  waiting: { mark: 'queue', word: 'Waiting', tone: 'text-waiting' },
  delivered: { mark: 'tick', word: 'Delivered', tone: 'text-good' },
  given_up: { mark: 'cross', word: 'Failed', tone: 'text-bad' },
} as const;

export function RuleDeliveries({ id }: { readonly id: string }) {
  const query = useInfiniteQuery(readPages('listAlertDeliveries', { parameters: { id } }));
  return <Deliveries query={query} />;
}

export function CallbackDeliveries() {
  const query = useInfiniteQuery(readPages('listCallbackDeliveries'));
  return <Deliveries query={query} />;
}

type Query = Parameters<typeof QueryList<Delivery>>[0]['query'];

function Deliveries({ query }: { readonly query: Query }) {
  return (
    <QueryList
      query={query}
      what="deliveries"
      idOf={({ id }) => id}
      row={(delivery) => <DeliveryRow delivery={delivery} />}
      empty={<p className="text-soft">No deliveries yet. Deliveries are kept for 30 days.</p>}
    />
  );
}

function DeliveryRow({ delivery }: { readonly delivery: Delivery }) {
  const { event, state, tries, created_at, next_try_at, response_status, error } = delivery;
  const { mark, word, tone } = STATE[state];
  return (
    <Row
      title={
        <span className="flex items-center gap-3 font-normal">
          <span className={`flex items-center gap-1.5 ${tone}`}>
            <Mark shape={mark} />
            {word}
          </span>
          <span>{EVENT_WORDS[event as AlertEventName] ?? event}</span>
        </span>
      }
      facts={[
        <Time key="at" at={created_at} />,
        tries === 1 ? '1 attempt' : `${tries} attempts`,
        response_status !== null && `status ${response_status}`,
        error !== null && <Visible text={error} />,
        state === 'waiting' && next_try_at !== null && (
          <>
            next attempt <Time at={next_try_at} />
          </>
        ),
      ]}
    />
  );
}
