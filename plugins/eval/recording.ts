/** Keeps the model traffic of each case in a file of its own: `<folder>/<case>.jsonl`. */
import { accessSync, constants, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CliRun, ResolvedModel } from '../../kernel/index.ts';
import { wrongUse } from '../cli/index.ts';
import { Recordings, recordedFact, recordFact, recordingModel, replayedModel } from '../model-replay/index.ts';
import type { EvalCase } from './cases.ts';

const MAX_FILE_BYTES = 256 * 1024 * 1024;
const MAX_NAMED = 5;

/** The recording of the case that runs. */
export interface CaseRecording {
  /** The model to ask: the composition's, recorded, or one that plays back. */
  model(own: () => Promise<ResolvedModel>): Promise<ResolvedModel>;
  /** How long the question took when it was recorded, in milliseconds; that of now where it is being recorded. */
  durationMs(now: number): Promise<number>;
}

export interface RecordingFolder {
  open(id: string): Promise<CaseRecording>;
}

/** `undefined`: the model is asked as ever. Throws for a case that has no recording. */
export function recordingFolder(
  { options, cwd }: Pick<CliRun, 'options' | 'cwd'>,
  cases: readonly Pick<EvalCase, 'id'>[],
): RecordingFolder | undefined {
  const { record, replay } = options;
  if (typeof record === 'string') {
    const folder = resolve(cwd, record);
    makeFolder(folder, record);
    return { open: (id) => recordCase(fileOf(folder, id)) };
  }
  if (typeof replay !== 'string') return undefined;
  const folder = resolve(cwd, replay);
  checkComplete(folder, replay, cases);
  return { open: (id) => replayCase(fileOf(folder, id)) };
}

const fileOf = (folder: string, id: string) => join(folder, `${encodeURIComponent(id).replaceAll('.', '%2E')}.jsonl`);

function makeFolder(folder: string, shown: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw wrongUse(`${shown} cannot hold recordings: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

function checkComplete(folder: string, shown: string, cases: readonly Pick<EvalCase, 'id'>[]): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw wrongUse(`There is no folder of recordings ${shown}.`, `Make one with --record ${shown}.`);
  }
  const missing = cases.filter(({ id }) => !existsSync(fileOf(folder, id))).map(({ id }) => `"${id}"`);
  if (missing.length === 0) return;
  const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
  throw wrongUse(
    `${shown} has no recording of ${missing.slice(0, MAX_NAMED).join(', ')}${more}.`,
    `Record with --record ${shown} --id <case>, or leave them out.`,
  );
}

async function recordCase(file: string): Promise<CaseRecording> {
  // What was recorded before belongs to another run.
  rmSync(file, { force: true });
  const recordings = await Recordings.open(file, MAX_FILE_BYTES);
  return {
    model: async (own) => recordingModel(await own(), recordings),
    async durationMs(now) {
      await recordFact(recordings, 'durationMs', now);
      return now;
    },
  };
}

async function replayCase(file: string): Promise<CaseRecording> {
  const recordings = await Recordings.open(file, MAX_FILE_BYTES);
  return {
    model: async () => replayedModel(recordings),
    durationMs: async (now) => Number(recordedFact(recordings, 'durationMs') ?? now),
  };
}
