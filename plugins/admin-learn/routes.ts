/** Serves what is proposed for the semantic layer of the active organization; an administrator applies or dismisses it. */
import { AtlasError, defineRoute, type Route, type Scope } from '../../kernel/index.ts';
import { SUCCEEDED, Success } from '../admin-kit/index.ts';
import type { AdminSemantic } from '../admin-semantic/index.ts';
import type { Change, Proposal } from '../learn/index.ts';
import { QUESTION_ERRORS } from '../query-api/index.ts';
import type { SemanticLayerApi } from '../semantic-layer/index.ts';
import type { Evaluate } from './evaluation.ts';
import { AppliedProposal, type LearnProposal, LearnProposals, ProposalEvaluation, ProposalParams } from './schemas.ts';
import type { DismissedProposals } from './store.ts';

export type Propose = (scope: Scope) => Promise<readonly Proposal[]>;

export interface LearnRoutesInit {
  readonly layer: SemanticLayerApi;
  readonly files: AdminSemantic;
  readonly dismissed: DismissedProposals;
  readonly propose: Propose;
  readonly evaluate: Evaluate;
}

const PATH = '/api/v1/admin/learn/proposals';

export function learnRoutes({ layer, files, dismissed, propose, evaluate }: LearnRoutesInit): Route[] {
  const common = {
    tag: 'Semantic layer',
    right: 'admin:semantic',
    organizationData: 'What is proposed for the semantic layer',
  } as const;

  /** What it changes in its file; `undefined` where the file has it already. */
  async function changeOf(proposal: Proposal, scope: Scope): Promise<Change | undefined> {
    const { changesOf } = await import('../learn/index.ts');
    const read = async (path: string) => (await layer.readFile(scope.orgId, path))?.toString();
    return (await changesOf([proposal], read))[0];
  }

  async function find(id: string, scope: Scope): Promise<Proposal> {
    const { idOf } = await import('../learn/index.ts');
    const proposal = (await propose(scope)).find((one) => idOf(one) === id);
    if (proposal !== undefined) return proposal;
    throw new AtlasError('There is no such proposal, or not any more.', {
      code: 'not_found',
      hint: `GET ${PATH} lists them.`,
    });
  }

  async function shown(proposal: Proposal, scope: Scope): Promise<LearnProposal[]> {
    const { shownProposal, unifiedDiff } = await import('../learn/index.ts');
    const change = await changeOf(proposal, scope);
    if (change === undefined) return [];
    return [{ ...shownProposal(proposal), diff: await unifiedDiff(change.path, change) }];
  }

  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: PATH,
      operationId: 'listLearnProposals',
      area: 'learn',
      summary:
        'What the newest questions, answers and statements propose for the semantic layer, without what was dismissed.',
      errors: ['forbidden'],
      responses: { 200: LearnProposals },
      async handle(_, scope) {
        const { idOf } = await import('../learn/index.ts');
        const [found, known] = [await propose(scope), await dismissed.ids(scope.orgId)];
        const proposals: LearnProposal[] = [];
        for (const proposal of found) if (!known.has(idOf(proposal))) proposals.push(...(await shown(proposal, scope)));
        return { body: { proposals } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: `${PATH}/:id/evaluation`,
      operationId: 'evaluateLearnProposal',
      summary:
        'Asks the cases of the organization with the layer as it is and with the proposal, as the caller; nothing is changed.',
      errors: [...new Set(['forbidden', 'not_found', 'conflict', 'configuration_error', ...QUESTION_ERRORS] as const)],
      params: ProposalParams,
      responses: { 200: ProposalEvaluation },
      async handle({ params: { id } }, scope) {
        const change = await changeOf(await find(id, scope), scope);
        if (change !== undefined) return { body: await evaluate(change, scope) };
        throw new AtlasError('The file has this already.', {
          code: 'not_found',
          hint: `GET ${PATH} lists what is proposed.`,
        });
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: `${PATH}/:id/apply`,
      operationId: 'applyLearnProposal',
      summary: 'Writes a proposal into its file, as a change like any other.',
      errors: ['forbidden', 'not_found', 'conflict', 'configuration_error', 'validation_error', 'overloaded'],
      params: ProposalParams,
      responses: { 200: AppliedProposal },
      async handle({ params: { id } }, scope) {
        const proposal = await find(id, scope);
        const change = await changeOf(proposal, scope);
        const { file } = proposal.owner;
        if (change !== undefined) await files.changeFile({ path: file, text: change.after }, scope, change.before);
        return { body: { file } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: `${PATH}/:id/dismiss`,
      operationId: 'dismissLearnProposal',
      summary: 'Takes a proposal from the list for good.',
      errors: ['forbidden', 'not_found'],
      params: ProposalParams,
      responses: { 200: Success },
      async handle({ params: { id } }, scope) {
        await dismissed.add(id, await find(id, scope), scope);
        return SUCCEEDED;
      },
    }),
  ];
}
