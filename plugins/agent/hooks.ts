/** Defines the hook with which plugins wrap the work on a question. */
import { collect, type Question, type Scope } from '../../kernel/index.ts';
import type { AgentEvent } from './api.ts';

/** Answers a question. `isStreamed`: the caller reads events as they come instead of the answer alone. */
export type Ask = (question: Question, scope: Scope, isStreamed: boolean) => AsyncIterable<AgentEvent>;

/** A tap returns functions that wrap `Ask`; the first tap's is the outermost. */
export const agentWrap = collect<undefined, (ask: Ask) => Ask>('agent.wrap', {
  summary: 'Wraps the work on every question, whatever asked it: recording, budgets, suggestions.',
});
