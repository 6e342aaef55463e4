import { z } from 'zod';
import { byEndpoint, member, OWNER } from '../contract/access.ts';
import { empty, json } from '../contract/answer.ts';
import { body } from '../contract/body.ts';
import { ID, TIME } from '../contract/fields.ts';
import type { Routes } from '../contract/route.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, EXAMPLE_USER_ID } from './examples.ts';

const person = z.strictObject({ id: ID, email: z.string() }).meta({ id: 'TeamPerson' });

const offer = z
  .strictObject({
    member: person.describe('The member who can accept.'),
    offered_at: TIME,
    expires_at: TIME.describe('Seven days after the offer.'),
  })
  .meta({ id: 'OwnershipOffer' });

const ownership = z
  .strictObject({
    owner: person,
    offer: offer.nullable().describe('null: the ownership is not offered.'),
  })
  .meta({ id: 'Ownership', description: 'Who owns the workspace, and to whom the ownership is offered.' });

const newOffer = z
  .strictObject({ member: z.uuid({ error: 'the id of a member' }) })
  .meta({ id: 'NewOwnershipOffer' });

const OFFER: z.output<typeof ownership> = {
  owner: { id: EXAMPLE_ID, email: 'ada@example.com' },
  offer: {
    member: { id: EXAMPLE_USER_ID, email: 'lin@example.com' },
    offered_at: EXAMPLE_TIME,
    expires_at: '2026-11-27T12:00:00.000Z',
  },
};

/** Only a person in a browser gives a workspace away, or takes one over. */
const SESSION = ['session'] as const;
const A_MEMBER = byEndpoint(member('endpoint.view'), 'view');

/** The ownership of a workspace (decision 95, one owner). */
export const ownershipRouteRows = {
  showOwnership: {
    method: 'GET',
    path: '/team/ownership',
    summary: 'Show the owner, and to whom the ownership is offered',
    access: A_MEMBER,
    answers: { 200: json('The owner and the offer.', ownership, OFFER) },
  },
  offerOwnership: {
    method: 'PUT',
    path: '/team/ownership/offer',
    summary: 'Offer the ownership to a member',
    description:
      'The member gets a mail and accepts within seven days. Until then nothing changes. A new offer replaces the one before.',
    access: { ...OWNER, credentials: SESSION },
    body: body(newOffer, { member: EXAMPLE_USER_ID }),
    answers: { 200: json('The offer.', ownership, OFFER) },
    refusals: ['invalid_argument', 'not_found'],
  },
  endOwnershipOffer: {
    method: 'DELETE',
    path: '/team/ownership/offer',
    summary: 'Withdraw or decline the offer of the ownership',
    description: 'The owner withdraws it, the member to whom it is made declines it.',
    access: { ...A_MEMBER, credentials: SESSION },
    answers: { 204: empty('The ownership is not offered any more.') },
    refusals: ['not_found'],
  },
  acceptOwnership: {
    method: 'POST',
    path: '/team/ownership/accept',
    summary: 'Accept the ownership that is offered to you',
    description:
      'You become the owner, and the owner an admin, in one step. Both get a mail, and sign in again. All access tokens of the former owner end, and your sessions and your access tokens for this workspace.',
    access: { ...A_MEMBER, credentials: SESSION },
    answers: { 204: empty('You are the owner.') },
    refusals: ['not_found'],
  },
} as const satisfies Routes;
