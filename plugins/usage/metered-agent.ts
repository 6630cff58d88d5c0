/** Wraps the work on every question: refused when a budget is spent, and recorded however it ends. */
import type { Ask } from '../agent/index.ts';
import type { Meter } from './meter.ts';

export function meteredAgent(meter: Meter, ask: Ask): Ask {
  return async function* (question, asked, isStreamed) {
    const scope = asked.part();
    const account = await meter.open(question, scope);
    const events = ask(question, scope, isStreamed)[Symbol.asyncIterator]();
    const leave = async () => {
      await events.return?.().catch(() => {});
      await meter.close(account);
    };
    const onAbort = () => void leave();
    // The reader may never ask for the next event, nor say that it has left.
    scope.signal.addEventListener('abort', onAbort, { once: true });
    try {
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        const event = next.value;
        if (event.type === 'text') account.addText(event.text);
        if (event.type === 'finish') {
          account.isAnswered = true;
          // Before the answer is told, so that the next question of its reader is checked against it.
          await meter.close(account);
        }
        yield event;
      }
      if (!account.isAnswered) scope.signal.throwIfAborted();
    } finally {
      scope.signal.removeEventListener('abort', onAbort);
      await leave();
    }
  };
}
