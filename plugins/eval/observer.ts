/** The plugin that evaluations add to a composition: counts what a question takes, and exchanges its model for a recording. */
import { definePlugin, modelResolve, type ResolvedModel, type Scope } from '../../kernel/index.ts';
import { questionEnded } from '../agent/index.ts';
import { usageCounted } from '../usage/index.ts';
import type { CaseRecording } from './recording.ts';

/** What the model calls of one question took. */
export interface Spent {
  inputTokens: number;
  outputTokens: number;
  /** Missing where the model has no price. */
  cost?: number;
  /** Provider and model, as the health report names them. */
  model?: string;
}

/** A question that runs: what it takes is added to `spent`. */
export interface ObservedQuestion {
  readonly spent: Spent;
  readonly recording: CaseRecording | undefined;
}

/** Questions by the id of their request. */
export type ObservedQuestions = Map<string, ObservedQuestion>;

export const evalObserver = (questions: ObservedQuestions) =>
  definePlugin({
    name: 'eval-observer',
    version: '1.0.0',
    type: 'core',
    description: 'Counts what the questions of an evaluation take, and records or plays back their model.',
    setup(ctx) {
      const asking = new WeakSet<Scope>();
      ctx.on(usageCounted, ({ scope, call }) => {
        const spent = questions.get(scope.requestId)?.spent;
        if (spent === undefined) return;
        spent.inputTokens += call.inputTokens;
        spent.outputTokens += call.outputTokens;
        if (call.cost !== undefined) spent.cost = (spent.cost ?? 0) + call.cost;
      });
      ctx.on(questionEnded, ({ scope, model }) => {
        const spent = questions.get(scope.requestId)?.spent;
        if (spent !== undefined && model !== undefined) spent.model = `${model.provider}/${model.modelId}`;
      });
      ctx.tap(
        modelResolve,
        async (question, scope) => {
          const recording = questions.get(scope.requestId)?.recording;
          if (recording === undefined || asking.has(scope)) return undefined;
          const own = async () => {
            const inner = scope.part();
            // This very tap is called again, and leaves the choice to the others.
            asking.add(inner);
            return (await ctx.call(modelResolve, question, inner)) as ResolvedModel;
          };
          return recording.model(own);
        },
        { stage: 'pre', before: ['admin-model'] },
      );
    },
  })();
