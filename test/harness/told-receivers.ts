/** Starts receivers for Slack and SMTP that can be told how to answer, for the contract kits of deliveries and actions. */
import type { ReceiverMood } from '../contract/deliver.ts';
import { startSlackReceiver } from './slack-receiver.ts';
import { startSmtpReceiver } from './smtp-receiver.ts';
import { withHeaders } from './test-receiver.ts';

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
