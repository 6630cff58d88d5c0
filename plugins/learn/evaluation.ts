/** Asks the cases of the evaluation over the layer as it is, and with one proposal after the other. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { CliRun } from '../../kernel/index.ts';
import type { Cli } from '../cli/index.ts';
import { evaluateLayer } from '../eval/index.ts';
import { editedText } from './layer-edits.ts';
import type { Proposal } from './proposal.ts';

export interface Counts {
  readonly passed: number;
  readonly cases: number;
}

export interface Evaluation {
  readonly before: Counts;
  readonly after: Counts;
  /** Those that make no case fail. */
  readonly proposals: readonly Proposal[];
  /** Of each of those, with the ones before it. */
  readonly of: ReadonlyMap<Proposal, { readonly before: Counts; readonly after: Counts }>;
  /** The others, with the cases that would pass no more. */
  readonly harmful: ReadonlyMap<Proposal, readonly string[]>;
}

export interface EvaluationRequest {
  readonly run: CliRun;
  readonly cli: Cli;
  readonly layerDir: string;
  readonly proposals: readonly Proposal[];
}

/** Changes a copy of the layer; the layer itself stays. */
export async function evaluateProposals({ run, cli, layerDir, proposals }: EvaluationRequest): Promise<Evaluation> {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-learn-'));
  try {
    const isShared = (path: string) => !relative(layerDir, path).startsWith('.orgs');
    cpSync(layerDir, folder, { recursive: true, filter: isShared });
    // What is asked here is no question of a person, and belongs into no audit log.
    const env = { ...run.env, SVC_PROVIDER: 'offline', DATABASE_URL: undefined };
    const passing = () => evaluateLayer({ ...run, env }, cli, folder);
    const first = await passing();
    let last = first;
    const of = new Map<Proposal, { before: Counts; after: Counts }>();
    const harmful = new Map<Proposal, readonly string[]>();
    for (const proposal of proposals) {
      const path = join(folder, proposal.owner.file);
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, editedText(text, [proposal]));
      const now = await passing();
      const lost = [...last.passed.difference(now.passed)];
      if (lost.length > 0) {
        writeFileSync(path, text);
        harmful.set(proposal, lost);
      } else {
        of.set(proposal, { before: counts(last), after: counts(now) });
        last = now;
      }
    }
    return { before: counts(first), after: counts(last), proposals: [...of.keys()], of, harmful };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const counts = ({ passed, cases }: Awaited<ReturnType<typeof evaluateLayer>>): Counts => ({
  passed: passed.size,
  cases,
});
