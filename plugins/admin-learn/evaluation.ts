/** Asks the cases of an organization over its layer as it is, and over the same layer with one proposal. */
import { AtlasError, authAuthorize, type PluginContext, type Scope } from '../../kernel/index.ts';
import type { Agent } from '../agent/index.ts';
import { previewedBy } from '../auth-kit/index.ts';
import { freshResults } from '../datasource-kit/index.ts';
import type { EvalCase, Verdict } from '../eval/index.ts';
import type { Change } from '../learn/index.ts';
import { organizationFolder, type SemanticLayerApi } from '../semantic-layer/index.ts';
import type { AdminLearnOptions } from './options.ts';
import type { ProposalEvaluation } from './schemas.ts';

/** What the audit log has as the surface; nothing is learned from it. */
const SURFACE = 'evaluation';

export interface EvaluationInit {
  readonly ctx: PluginContext;
  readonly agent: Agent;
  readonly layer: SemanticLayerApi;
  readonly options: AdminLearnOptions;
}

export type Evaluate = (change: Change, scope: Scope) => Promise<ProposalEvaluation>;

/** Of one organization one evaluation runs at a time on a server; another is refused with `conflict`. */
export function proposalEvaluation(init: EvaluationInit): Evaluate {
  const running = new Set<string | null>();
  return async (change, scope) => {
    const { orgId } = scope;
    // A custom role may administer the layer without being able to ask.
    await init.ctx.call(authAuthorize, { right: 'query', operation: 'An evaluation' }, scope);
    if (running.has(orgId)) {
      throw new AtlasError('A proposal is being evaluated already.', {
        code: 'conflict',
        reason: 'E_LEARN_EVALUATING',
        hint: 'Try again when that has ended.',
      });
    }
    running.add(orgId);
    try {
      return await evaluated(init, change, scope);
    } finally {
      running.delete(orgId);
    }
  };
}

/** The shared cases belong to the shared layer alone: an organization is shown none that are not its own. */
async function casesOf({ options: { casesDir } }: EvaluationInit, orgId: string | null): Promise<EvalCase[]> {
  const { readCases } = await import('../eval/index.ts');
  const dir = orgId === null ? casesDir : organizationFolder(casesDir, orgId);
  if (dir === undefined)
    throw new AtlasError('The id of this organization can be the name of no folder of cases.', {
      code: 'configuration_error',
      hint: 'Folders are for ids of at most 128 letters, digits, dots, hyphens and underscores.',
    });
  return readCases(process.cwd(), dir);
}

async function evaluated(init: EvaluationInit, change: Change, scope: Scope): Promise<ProposalEvaluation> {
  const { layer, options } = init;
  const all = await casesOf(init, scope.orgId);
  const asked = all.slice(0, options.evaluationCases);
  const ending = AbortSignal.timeout(options.evaluationMs);
  const signal = AbortSignal.any([scope.signal, ending]);
  await using tried = await layer.tryOut(scope.orgId, [{ path: change.path, text: change.after }]);
  const counts = { before: 0, after: 0 };
  const changed: ProposalEvaluation['changed'] = [];
  const unjudged: ProposalEvaluation['unjudged'] = [];
  let judged = 0;
  for (const item of asked) {
    const { id, question } = item;
    try {
      const ask = await asking(init, item, scope, signal);
      const before = await ask();
      const after = await ask((own) => tried.use(own));
      signal.throwIfAborted();
      judged += 1;
      if (before.status === 'passed') counts.before += 1;
      if (after.status === 'passed') counts.after += 1;
      if (before.status !== after.status)
        changed.push({ id, question, before: before.status, after: after.status, reason: after.reason });
    } catch (error) {
      scope.signal.throwIfAborted();
      if (ending.aborted) break;
      // Nothing else would come of the cases behind it.
      if (!(error instanceof AtlasError) || error.code === 'budget_exhausted') throw error;
      unjudged.push({ id, question, reason: error.message });
      // With neither a model nor a database no case can be judged.
      if (unjudged.length === asked.length) throw error;
    }
  }
  const total = all.length;
  return { cases: total, notAsked: total - judged - unjudged.length, ...counts, changed, unjudged };
}

/** Asks one case as often as wanted, each time as a request of its own, as whoever asks for the evaluation. */
async function asking({ ctx, agent }: EvaluationInit, item: EvalCase, { actor, orgId }: Scope, signal: AbortSignal) {
  const { judgeOf } = await import('../eval/index.ts');
  const own = () => {
    const scope = ctx.scope({ actor, orgId, signal });
    // It is no question of a person: no conversation has it, no action follows of it and no approval is asked for.
    previewedBy.set(scope, actor);
    freshResults.set(scope, true);
    return scope;
  };
  const verdictOf = await judgeOf({ ctx, surface: SURFACE }, item)(own());
  return async (prepare?: (scope: Scope) => void): Promise<Verdict> => {
    const scope = own();
    prepare?.(scope);
    const turns = [{ role: 'user', text: item.question }] as const;
    return verdictOf(await agent.answer({ turns, surface: SURFACE }, scope));
  };
}
