/** Collects the notes of an answer while a question runs. */
import { truncate } from '../text-kit/index.ts';
import type { AnswerNote } from './api.ts';

/** Largest number of notes of one answer; further ones are dropped. */
const MAX_NOTES = 20;
const MAX_NOTE_CHARS = 500;
const KEY = 'agent.notes';

export interface AnswerNotes {
  /** Adds a note unless there is an equal one or there are `MAX_NOTES`. A long message is cut. */
  add(note: AnswerNote): void;
  readonly list: readonly AnswerNote[];
}

export function answerNotes(): AnswerNotes {
  const list: AnswerNote[] = [];
  return {
    list,
    add({ code, message, quotesSql }) {
      const text = truncate(message, MAX_NOTE_CHARS);
      if (list.length < MAX_NOTES && !list.some((known) => known.code === code && known.message === text)) {
        list.push({ code, message: text, ...(quotesSql && { quotesSql }) });
      }
    },
  };
}

/** What a question remembers, for a statement that is only tried: its notes are its own. */
export function memoryOfTrial(memory: ReadonlyMap<string, unknown>): Map<string, unknown> {
  const own = new Map([...memory].map(([key, value]) => [key, value instanceof Map ? new Map(value) : value]));
  own.delete(KEY);
  return own;
}

/** The notes of a question. A tool finds them through the `memory` of its run: `notesOf(run.memory).add(…)`. */
export function notesOf(memory: Map<string, unknown>): AnswerNotes {
  const known = memory.get(KEY) as AnswerNotes | undefined;
  if (known !== undefined) return known;
  const notes = answerNotes();
  memory.set(KEY, notes);
  return notes;
}
