/** The hook with which plugins wrap the agent. */
import { collect, type Question, type Scope } from '../../kernel/index.ts';
import type { AgentEvent } from './api.ts';

/** Works on a question. `isStreamed`: the caller reads the events as they come, not the answer alone. */
export type Ask = (question: Question, scope: Scope, isStreamed: boolean) => AsyncIterable<AgentEvent>;

/** What a tap gives returns the wrapped function; of the first tap it is the outermost. */
export const agentWrap = collect<undefined, (ask: Ask) => Ask>('agent.wrap', {
  summary: 'Wraps the work on every question, whatever asked it: recording, budgets, suggestions.',
});
