/** Starts a receiver of HTTP requests that can be told how to answer, for the contract kits of deliveries and actions. */
import type { ReceiverMood } from '../contract/deliver.ts';
import { startHttpReceiver } from './http-receiver.ts';

export const withHeaders = ({ headers, body }: { readonly headers: object; readonly body: string }) =>
  `${JSON.stringify(headers)}\n${body}`;

/** Accepts what it gets until `answer` says otherwise. */
export async function startTestReceiver() {
  let mood: ReceiverMood = 'accept';
  const receiver = await startHttpReceiver((_, response) => {
    if (mood !== 'hang') response.writeHead({ accept: 200, busy: 503, refuse: 422 }[mood]).end();
  });
  return Object.assign(receiver, {
    answer(next: ReceiverMood) {
      mood = next;
    },
    tries: () => receiver.received.map(withHeaders),
  });
}
