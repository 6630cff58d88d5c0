/** Delivers outcomes to callback addresses: one attempt each, whose failure is only logged. */
import { messageOf, type PluginContext } from '../../kernel/index.ts';
import type { Outbound } from '../outbound/index.ts';
import type { Answers, CallbackOutcome } from './answers.ts';
import type { Channel } from './channels.ts';

/** A question whose answer is delivered later. */
export interface AcceptedQuestion {
  readonly requestId: string;
  readonly channelId: string;
  readonly query: string;
  readonly callbackUrl: string;
}

export interface Callbacks {
  /** Rejects only when `signal` has been aborted. */
  answer(question: AcceptedQuestion, signal: AbortSignal): Promise<CallbackOutcome>;
  /** Never rejects. */
  deliver(question: AcceptedQuestion, outcome: CallbackOutcome): Promise<void>;
}

/** An address may carry a token in its path or query: only its host is logged. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'unknown';
}

/** JSON has no whole numbers of any size; those beyond it are texts, as in other answers. */
const plain = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

export function callbacksOf(
  ctx: PluginContext,
  channels: ReadonlyMap<string, Channel>,
  answers: Answers,
  outbound: Outbound,
  timeoutMs: number,
): Callbacks {
  return {
    answer: ({ channelId, query, requestId }, signal) =>
      answers.outcome(channels.get(channelId), query, requestId, signal),
    async deliver({ requestId, channelId, callbackUrl: url }, outcome) {
      const fields = { requestId, channelId, host: hostOf(url) };
      try {
        const { status } = await outbound.fetch({
          url,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ requestId, ...outcome }, plain),
          timeoutMs,
        });
        if (status < 300) ctx.log.debug({ ...fields, status }, 'The answer to a webhook was delivered.');
        else ctx.log.warn({ ...fields, status }, 'The answer to a webhook was refused; it is not sent again.');
      } catch (error) {
        ctx.log.warn({ ...fields, error: messageOf(error) }, 'The answer to a webhook was not delivered.');
      }
    },
  };
}
