/** Offers every type of action to the model as a tool, and keeps secrets of their arguments out of what is shown. */
import type { AgentTool, ContextPart, ToolOutcome, ToolRun } from '../../kernel/index.ts';
import { type Ask, notesOf } from '../agent/index.ts';
import { masked } from '../redaction-kit/index.ts';
import type { Actions, AskedAction } from './api.ts';
import type { ActionType } from './hooks.ts';

/** Most different actions that one question may ask for. */
const MAX_ACTIONS = 20;
const KEY = 'actions.asked';

/** Said to the model with every question, as its answer must not claim what was not done. */
export const ACTION_RULES: ContextPart = {
  title: 'Actions',
  text: `Some tools act outside of the databases. Call one only when the user asks for it, once, with figures that you have looked up.
A result with the status "pending" means that nothing was done: the action awaits approval. Say that it awaits approval; never say or suggest that it was done, and do not call the tool again for it. Only the status "executed" means that it was done.`,
  trusted: true,
};

/** The name of the tool of a type; `undefined` when the model cannot ask for it. */
export function toolNameOf({ type, tool = type }: ActionType): string | undefined {
  return tool === false ? undefined : tool;
}

export function actionTool(name: string, type: ActionType, actions: Pick<Actions, 'request'>): AgentTool {
  return {
    name,
    description: `${type.description} ${type.reversible ? 'It can be undone.' : 'It cannot be undone.'} It may have to be approved first: the status of the result says so.`,
    input: type.input,
    async run(payload, run) {
      const { surface, conversationId } = run.question;
      const asked = askedBefore(run);
      const key = `${type.type} ${JSON.stringify(payload)}`;
      const known = asked.get(key);
      if (known === undefined && asked.size >= MAX_ACTIONS) {
        return failure(`Not asked for: one question may ask for ${MAX_ACTIONS} actions.`);
      }
      // The same call again is no second action: models repeat themselves.
      const action = known ?? actions.request({ type: type.type, payload, surface, conversationId }, run.scope);
      asked.set(key, action);
      action.catch(() => asked.delete(key));
      return outcomeOf(await action, run, known !== undefined);
    },
  };
}

function askedBefore({ memory }: ToolRun): Map<string, Promise<AskedAction>> {
  const asked = (memory.get(KEY) as Map<string, Promise<AskedAction>> | undefined) ?? new Map();
  memory.set(KEY, asked);
  return asked;
}

const failure = (error: string): ToolOutcome => ({
  forModel: { error, hint: 'Tell the user. Do not call the tool again unless they ask for it.' },
});

function outcomeOf(action: AskedAction, { memory }: ToolRun, isRepeated: boolean): ToolOutcome {
  const { id, type, target, summary, status, pendingAction, result } = action;
  const shown = { id, type, target, summary, status };
  switch (status) {
    case 'executed':
      return { forModel: { ...shown, ...(result != null && { result }) } };
    case 'failed':
      return failure(`The action failed: ${action.error ?? 'the reason is not known.'}`);
    case 'denied':
      return failure(`The action was denied${action.reason === undefined ? '.' : `: ${action.reason}`}`);
    case 'approved':
      return {
        forModel: { ...shown, note: 'It has been begun, and its end is not known yet. Do not say that it was done.' },
      };
    case 'pending': {
      const by = action.approval === 'admin-only' ? 'another administrator' : 'a user who may approve actions';
      notesOf(memory).add({ code: 'action_pending', message: `Not done yet, awaits approval: ${summary}` });
      const note = `Nothing was done: it awaits approval by ${by}. Tell the user so, and do not call the tool again for it.`;
      const forModel = { ...shown, note };
      if (pendingAction === undefined || isRepeated) return { forModel };
      return { forModel, forClient: { status, ...pendingAction }, pendingAction };
    }
  }
}

/** Shows the arguments of the action tools without secrets, in streams and in stored conversations. */
export function maskedCalls(names: ReadonlyMap<string, unknown>, ask: Ask): Ask {
  return async function* (question, scope, isStreamed) {
    for await (const event of ask(question, scope, isStreamed)) {
      const isCall = event.type === 'tool-call' && names.has(event.toolName);
      yield isCall ? { ...event, args: masked(event.args) } : event;
    }
  };
}
