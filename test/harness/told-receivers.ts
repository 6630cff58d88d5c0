/** Starts receivers that can be told how to answer, for the contract kits of deliveries and actions. */
import type { ReceiverMood } from '../contract/deliver.ts';
import { startHttpReceiver } from './http-receiver.ts';
import { startSlackReceiver } from './slack-receiver.ts';
import { startSmtpReceiver } from './smtp-receiver.ts';

const withHeaders = ({ headers, body }: { readonly headers: object; readonly body: string }) =>
  `${JSON.stringify(headers)}\n${body}`;

export async function toldHttpReceiver() {
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

export async function toldSlackReceiver() {
  const answers = {
    accept: undefined,
    hang: undefined,
    busy: { status: 429, headers: { 'retry-after': '30' }, body: { ok: false, error: 'ratelimited' } },
    refuse: { status: 200, body: { ok: false, error: 'not_in_channel' } },
  };
  let mood: ReceiverMood = 'accept';
  const receiver = await startSlackReceiver(() => answers[mood]);
  return Object.assign(receiver, {
    answer(next: ReceiverMood) {
      mood = next;
      receiver.hangs = next === 'hang';
    },
    // Without the headers, which hold the token.
    tries: () => receiver.received.map(({ body }) => body),
  });
}

export async function toldSmtpReceiver() {
  const refusals = {
    busy: Object.assign(new Error('Try later'), { responseCode: 451 }),
    refuse: Object.assign(new Error('No such user'), { responseCode: 550 }),
  };
  let mood: ReceiverMood = 'accept';
  const refused: string[] = [];
  const receiver = await startSmtpReceiver({
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
    onRcptTo(_address, _session, done) {
      if (mood === 'hang') return;
      if (mood === 'accept') return done();
      refused.push('');
      done(refusals[mood]);
    },
  });
  return Object.assign(receiver, {
    answer(next: ReceiverMood) {
      mood = next;
    },
    tries: () => [
      ...refused,
      ...receiver.received.map(({ headers, parts }) => withHeaders({ headers, body: parts['text/plain'] ?? '' })),
    ],
  });
}
