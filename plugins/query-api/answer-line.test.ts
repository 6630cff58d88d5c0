import { expect, it, vi } from 'vitest';
import { type Logger, Scope } from '../../kernel/index.ts';
import type { AgentEvent } from '../agent/index.ts';
import type { HttpServer } from '../http/index.ts';
import { AnswerLine } from './answer-line.ts';
import { eventStream } from './event-stream.ts';
import { uiEncoder } from './stream-ui.ts';

const NO_LOG: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const left = () => new Error('The client has left.');

function asked() {
  const scope = new Scope({ log: NO_LOG });
  const line = new AnswerLine(scope, { outlast() {}, failure() {} } as unknown as HttpServer);
  line.keep({ clientLeft: () => true, delivered() {} });
  return { scope, line };
}

it('an answer without its client is over when it is cancelled, though the agent takes no notice', async () => {
  const { scope, line } = asked();
  line.begin({ next: () => new Promise<never>(() => {}) });
  expect(line.closed(false)).toBe(true);
  scope.abort(left());
  await line.ended;
});

it('an answer of which the headers have not left ends with its client, though the agent goes on', async () => {
  const { scope, line } = asked();
  const ended = vi.fn();
  const gate = Promise.withResolvers<void>();
  async function* answer(): AsyncGenerator<AgentEvent> {
    try {
      yield { type: 'start', messageId: 'a' };
      await gate.promise;
      yield { type: 'text', text: 'One' };
    } finally {
      ended();
    }
  }
  const failure = () => ({ error: '', message: '' });
  const reply = eventStream(answer(), { scope, encoder: uiEncoder(false), pingEveryMs: 60_000, line, failure });
  scope.abort(left());
  gate.resolve();
  await expect(reply).rejects.toThrow('The client has left.');
  await vi.waitFor(() => expect(ended).toHaveBeenCalled());
});
